-- What is usually asked of a store. Cells whose tags were wrong are left out, and so is the floor
-- (mac `null`). A cell's launches are the unit of replication within a machine, machines among
-- machines; only ratios of what was measured side by side travel from one machine to another.

-- Every cell that may be used, with its run and machine beside it.
CREATE VIEW times AS
SELECT r.study, r.division, r.is_simulated, m.cpu_model, r.machine_id, r.host_id, r.run_id, c.*
FROM cells c
JOIN runs r USING (run_key)
JOIN machines m USING (machine_id, host_id)
WHERE c.excluded IS NULL AND c.mac <> 'null';

-- A cell's launches: the median time of a call in each.
CREATE VIEW launches AS
SELECT s.run_key, s.cell_id, s.launch,
       count(*) AS blocks, median(s.elapsed_ns / s.iterations) AS call_ns
FROM samples s
JOIN cells c USING (run_key, cell_id)
WHERE c.excluded IS NULL AND s.elapsed_ns IS NOT NULL
GROUP BY ALL;

-- Two cells of one part, regime, key life and length, each with its key length, launch by launch: the median over blocks of
-- the time of one over that of the other (`to_…`) in the same block.
CREATE VIEW ratios AS
SELECT a.run_key, a.part, a.regime, a.key_life, a.len_bytes,
       a.mac, a.provider, a.kernel, a.key_len_bytes,
       b.mac AS to_mac, b.provider AS to_provider, b.kernel AS to_kernel,
       b.key_len_bytes AS to_key_len_bytes,
       x.launch, count(*) AS blocks,
       median((x.elapsed_ns / x.iterations) / (y.elapsed_ns / y.iterations)) AS ratio
FROM cells a
JOIN cells b ON b.run_key = a.run_key AND b.part = a.part AND b.regime = a.regime
    AND b.key_life = a.key_life AND b.len_bytes = a.len_bytes AND b.cell_id <> a.cell_id
JOIN samples x ON x.run_key = a.run_key AND x.cell_id = a.cell_id
JOIN samples y ON y.run_key = b.run_key AND y.cell_id = b.cell_id
    AND y.launch = x.launch AND y.block = x.block
WHERE a.excluded IS NULL AND b.excluded IS NULL AND a.mac <> 'null' AND b.mac <> 'null'
    AND x.elapsed_ns IS NOT NULL AND y.elapsed_ns IS NOT NULL
GROUP BY ALL;

-- The same for each run: the median over its launches, and the least and greatest of them.
CREATE VIEW run_ratios AS
SELECT run_key, part, regime, key_life, len_bytes, mac, provider, kernel, key_len_bytes,
       to_mac, to_provider, to_kernel, to_key_len_bytes,
       count(*) AS launches, median(ratio) AS ratio,
       min(ratio) AS ratio_least, max(ratio) AS ratio_greatest
FROM ratios
GROUP BY ALL;

-- The same over machines, each of which counts once, however many runs and hosts of it there are.
-- Code paths stay apart: a library takes another where instructions are missing.
CREATE VIEW fleet_ratios AS
WITH by_machine AS (
    SELECT r.study_id, r.study, r.machine_id, q.part, q.regime, q.key_life, q.len_bytes,
           q.mac, q.provider, q.kernel, q.key_len_bytes,
           q.to_mac, q.to_provider, q.to_kernel, q.to_key_len_bytes,
           median(q.ratio) AS ratio
    FROM run_ratios q JOIN runs r USING (run_key)
    GROUP BY ALL
)
SELECT study_id, study, part, regime, key_life, len_bytes, mac, provider, kernel,
       key_len_bytes, to_mac, to_provider, to_kernel, to_key_len_bytes,
       count(*) AS machines, count(*) FILTER (ratio < 1) AS machines_faster,
       median(ratio) AS ratio, min(ratio) AS ratio_least, max(ratio) AS ratio_greatest
FROM by_machine
GROUP BY ALL;

-- The fastest offer of each mac and key length in each run.
CREATE VIEW best_offers AS
SELECT run_key, part, regime, key_life, len_bytes, mac, key_len_bytes,
       arg_min(provider, median_ns) AS provider, arg_min(kernel, median_ns) AS kernel,
       min(median_ns) AS median_ns, count(*) AS offers
FROM cells
WHERE excluded IS NULL AND mac <> 'null' AND median_ns IS NOT NULL
GROUP BY ALL;

-- What runs say to each claim: how many say what, and of how many machines they are.
CREATE VIEW verdicts AS
SELECT r.study_id, c.study, c.claim, c.panel,
       count(DISTINCT r.machine_id) AS machines,
       count(*) FILTER (c.verdict = 'confirmed') AS confirmed,
       count(*) FILTER (c.verdict = 'refuted') AS refuted,
       count(*) FILTER (c.verdict = 'undecided') AS undecided,
       count(*) FILTER (c.verdict = 'not decided here') AS not_decided_here
FROM claims c JOIN runs r USING (run_key)
GROUP BY ALL;
