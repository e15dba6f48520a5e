// The operation under nanobench, for so many SECONDS in all; prints a line for each of CALLS...
//
//     compare   Bench::compare, which nanobench recommends for alternatives: rounds of all of them.
//               A line has place, time relative to the first, whether nanobench tells the two
//               apart, and median time in nanoseconds.
//     relative  Bench::relative, one after the other, as before nanobench 4.6. A line has place,
//               time relative to the first, nanobench's err% as a fraction, and median time.

#define ANKERL_NANOBENCH_IMPLEMENT
#include <nanobench.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

extern "C" std::uint8_t comparison_work(std::uint32_t calls);

using ankerl::nanobench::Bench;
using ankerl::nanobench::Result;

namespace {

struct Candidate {
    std::string name;
    std::uint32_t calls;

    void operator()() const { ankerl::nanobench::doNotOptimizeAway(comparison_work(calls)); }
};

std::chrono::nanoseconds nanoseconds(double seconds) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
}

double median_ns(Result const& result) { return 1e9 * result.median(Result::Measure::elapsed); }

template <std::size_t... I>
ankerl::nanobench::CompareResult compare_these(Bench& bench, std::vector<Candidate> const& all,
                                               std::index_sequence<I...>) {
    return std::apply([&](auto&&... arguments) { return bench.compare(arguments...); },
                      std::tuple_cat(std::make_tuple(all[I].name, std::cref(all[I]))...));
}

ankerl::nanobench::CompareResult compared(Bench& bench, std::vector<Candidate> const& all) {
    if (all.size() == 2) {
        return compare_these(bench, all, std::make_index_sequence<2>());
    }
    if (all.size() == 20) {
        return compare_these(bench, all, std::make_index_sequence<20>());
    }
    std::cerr << "rival-nanobench: 2 or 20 candidates are compared\n";
    std::exit(2);
}

// Epochs stay as short as nanobench has them; their number is what the time allows, which is its
// advice for more resolution. How long a round takes is found in a tenth of the time.
void compare(double seconds, std::vector<Candidate> const& all) {
    using clock = std::chrono::steady_clock;
    auto const begin = clock::now();
    auto const spent = [&] { return std::chrono::duration<double>(clock::now() - begin).count(); };
    Bench pilot;
    auto const epoch = std::chrono::duration<double>(pilot.minEpochTime()).count();
    pilot.output(nullptr).epochs(1 + std::size_t(0.1 * seconds / (epoch * double(all.size()))));
    auto const rounds = compared(pilot, all).rounds();
    auto const round = spent() / double(rounds);

    Bench bench;
    bench.output(&std::cerr).epochs(1 + std::size_t((seconds - spent()) / round));
    auto const result = compared(bench, all);
    for (std::size_t i = 0; i < result.size(); ++i) {
        auto const& entry = result[i];
        // `relative` is a speed: above 1 is faster.
        std::printf("%zu %.9f %d %.3f\n", i, 1 / entry.relative, result.isSignificant(i),
                    median_ns(entry.result));
    }
}

// Epochs stay 11, as nanobench has them, and are as long as the time allows: its advice where err%
// is high.
void relative(double seconds, std::vector<Candidate> const& all) {
    Bench bench;
    auto const epoch = nanoseconds(seconds / double(all.size()) / double(bench.epochs() + 1));
    bench.output(&std::cerr).relative(true).minEpochTime(epoch).maxEpochTime(2 * epoch);
    for (auto const& candidate : all) {
        bench.run(candidate.name, candidate);
    }
    auto const& results = bench.results();
    for (std::size_t i = 0; i < results.size(); ++i) {
        auto const error = results[i].medianAbsolutePercentError(Result::Measure::elapsed);
        auto const ratio = median_ns(results[i]) / median_ns(results[0]);
        std::printf("%zu %.9f %.9f %.3f\n", i, ratio, error, median_ns(results[i]));
    }
}

} // namespace

int main(int count, char** arguments) {
    std::string const how = count > 1 ? arguments[1] : "";
    if (count < 5 || (how != "compare" && how != "relative")) {
        std::cerr << "usage: rival-nanobench compare|relative SECONDS CALLS CALLS...\n";
        return 2;
    }
    std::vector<Candidate> all;
    for (int i = 3; i < count; ++i) {
        auto const calls = static_cast<std::uint32_t>(std::atoi(arguments[i]));
        all.push_back({"candidate-" + std::to_string(i - 3), calls});
    }
    (how == "compare" ? compare : relative)(std::atof(arguments[2]), all);
    return 0;
}
