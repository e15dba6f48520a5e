//! Simulated machines, read as the command reads a store.

use report::Findings;
use report::machines::{Asked, Catalog, Machines, Member, Traits};
use synthetic::{Filling, Fleet, Simulated};

pub struct Gathered {
    pub members: Vec<Member>,
    pub catalog: Catalog,
}

pub const QUIET: Filling = Filling { launches: 12, blocks: 1, launch_sd: 0.004, block_sd: 0.004 };

impl Gathered {
    /// Of so many machines, with so many cells or a few more each.
    pub fn of(machines: usize, cells: usize) -> Self {
        let fleet = Fleet::synthetic(cells, QUIET, 7);
        Self::from((0..machines).map(|at| fleet.machine(at)))
    }

    pub fn from(machines: impl Iterator<Item = Simulated>) -> Self {
        let catalog = Catalog::default();
        let member = |Simulated { run, identity }: Simulated| {
            let traits = Traits {
                machine_id: identity.id(),
                host_id: "0".repeat(32),
                run_id: run.id.clone(),
                cpu: run.machine.cpu_model.clone(),
                vendor: identity.vendor.clone(),
                generation: identity.model.clone(),
                features: identity.features.clone(),
                hypervisor: identity.hypervisor.clone(),
                system: run.machine.kernel.clone(),
                processors: identity.processors,
                simulated: true,
                division: "open".into(),
            };
            Member::of(&run, &Findings::of(&run), traits, &catalog)
        };
        let members = machines.map(member).collect();
        Self { members, catalog }
    }

    pub fn compared(&self, asked: &Asked) -> Machines {
        Machines::of(&"0".repeat(40), &self.members, &self.catalog, asked).unwrap()
    }
}
