//! A gate for test reporters: a cell is a test case of its mac. What the gate as a whole finds (a
//! wrong tag, a base that differs from itself, a worker that ended) is a case of its own.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};
use stats::GateVerdict;

use super::{Change, GateFindings, GateRow, Outcome};

impl GateFindings {
    /// JUnit's XML.
    ///
    /// # Errors
    /// Where it cannot be written as XML.
    pub fn junit(&self) -> Result<String, SerializeError> {
        let mut suite = TestSuite::new("macrometer gate");
        suite.set_time(Duration::from_secs_f64(self.spent_s.max(0.0)));
        suite.add_property(("run", self.run.as_str()));
        suite.add_property(("verdict", self.verdict.as_str()));
        suite.add_test_cases(self.cells.iter().map(|row| self.case(row)));
        let whole = [
            ("tags", NonSuccessKind::Failure, &self.wrong_tags),
            ("workers", NonSuccessKind::Error, &self.lost),
            ("base against itself", NonSuccessKind::Error, &self.alarms),
        ];
        suite.add_test_cases(whole.map(|(name, kind, lines)| {
            let mut status = match &lines[..] {
                [] => TestCaseStatus::success(),
                lines => failed(kind, &lines.join("; ")),
            };
            // Some readers show the text and not the message; in it, a line is a line.
            status.set_description(lines.join("\n"));
            whole_case(name, status)
        }));
        let lost = self.changes.iter().filter(|it| it.is_lost()).map(Change::told);
        suite.add_test_cases(lost.map(|told| whole_case(&told, self.undecided(&told))));
        let mut report = Report::new("macrometer");
        report.set_time(Duration::from_secs_f64(self.spent_s.max(0.0)));
        report.add_test_suite(suite);
        report.to_string()
    }

    fn case(&self, row: &GateRow) -> TestCase {
        let figure = row.in_words(self.margin);
        let status = match (row.verdict, &row.accepted) {
            (GateVerdict::NotSlower, _) => TestCaseStatus::success(),
            (_, Some(reason)) => skipped(&format!("accepted: {reason}; {figure}")),
            (GateVerdict::Slower, None) => {
                failed(NonSuccessKind::Failure, &format!("slower: {figure} of the base"))
            }
            (GateVerdict::Open, None) => self.undecided(&format!("not decided: {figure}")),
        };
        let mut case = TestCase::new(row.name.as_str(), status);
        case.set_classname(row.mac.as_str());
        case.set_system_out(figure);
        case
    }

    /// What is open fails where the gate does for it, and is skipped elsewhere.
    fn undecided(&self, why: &str) -> TestCaseStatus {
        match self.outcome {
            Outcome::OpenFails => failed(NonSuccessKind::Failure, why),
            Outcome::Open => failed(NonSuccessKind::Error, why),
            _ => skipped(why),
        }
    }
}

/// A case of the gate as a whole. Readers group cases by class, or refuse those without one.
fn whole_case(name: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(name, status);
    case.set_classname("gate");
    case
}

fn failed(kind: NonSuccessKind, message: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(message);
    status
}

fn skipped(message: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(message);
    status
}

#[cfg(test)]
mod tests {
    use super::super::tests::without_cells;

    #[test]
    fn what_the_gate_finds_as_a_whole_has_a_class_and_a_text() {
        let mut findings = without_cells();
        findings.lost = vec!["lib-new is dropped: signal 11".into(), "lib is, too".into()];
        let xml = findings.junit().unwrap();
        assert_eq!(xml.matches("classname=\"gate\"").count(), 3, "{xml}");
        let case = "<error message=\"lib-new is dropped: signal 11; lib is, too\">\
                    lib-new is dropped: signal 11\nlib is, too</error>";
        assert!(xml.contains(case), "{xml}");
        assert!(!xml.contains("<failure"), "{xml}");
    }
}
