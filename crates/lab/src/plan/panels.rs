//! Panels when the user names providers.

use crate::study::{Choose, Panel, Study, fits_any};

/// Named providers take the place of panels that choose the fastest, and of a panel that is alone.
/// Of several panels each keeps its own of them; what is in none has a panel of its own.
pub(super) fn narrowed(panels: &[Panel], named: &[String]) -> Vec<Panel> {
    if named.is_empty() {
        return panels.to_vec();
    }
    if panels.iter().any(|panel| panel.choose == Choose::Fastest) {
        let panel = |name: &String| Panel {
            name: name.clone(),
            title: format!("The implementations of {name}"),
            providers: vec![name.clone()],
            choose: Choose::Fastest,
            ..blank()
        };
        // The study may have a panel of just this one.
        let own = |name: &String| panels.iter().find(|it| it.providers == [name.clone()]).cloned();
        return named.iter().map(|name| own(name).unwrap_or_else(|| panel(name))).collect();
    }
    if let [only] = panels {
        return vec![Panel { providers: named.to_vec(), ..only.clone() }];
    }
    // A name fits a pattern of the panel, or a pattern of the user's a name of the panel.
    let shared = |panel: &Panel, name: &String| -> Vec<String> {
        if panel.takes(name) {
            return vec![name.clone()];
        }
        let fits_name = |own: &&String| fits_any(std::slice::from_ref(name), own);
        panel.providers.iter().filter(fits_name).cloned().collect()
    };
    let own = |panel: &Panel| Panel {
        providers: named.iter().flat_map(|name| shared(panel, name)).collect(),
        ..panel.clone()
    };
    let mut left: Vec<Panel> = panels.iter().map(own).collect();
    left.retain(|panel| !panel.providers.is_empty());
    let is_in_none = |name: &&String| panels.iter().all(|panel| shared(panel, name).is_empty());
    let others: Vec<String> = named.iter().filter(is_in_none).cloned().collect();
    if !others.is_empty() {
        let (name, title) = ("named".into(), others.join(", "));
        left.push(Panel { name, title, providers: others, ..blank() });
    }
    left
}

/// A panel of nobody, for all parts and lengths.
fn blank() -> Panel {
    Panel {
        name: String::new(),
        title: String::new(),
        providers: vec![],
        not: vec![],
        choose: Choose::All,
        parts: vec![],
        sizes: vec![],
        sample_calls: None,
    }
}

/// The named parts, and the panels that speak in one of them; all where none is named.
pub(super) fn keep_parts(study: &mut Study, named: &[String]) -> Result<(), String> {
    if named.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = study.parts.iter().map(|part| part.name.as_str()).collect();
    if let Some(name) = named.iter().find(|name| !names.contains(&name.as_str())) {
        let (study, names) = (&study.name, names.join(", "));
        return Err(format!("unknown part {name:?} in the study {study:?}; available: {names}"));
    }
    study.parts.retain(|part| named.contains(&part.name));
    let parts = &study.parts;
    study.panels.retain(|panel| parts.iter().any(|part| panel.is_in(part)));
    for panel in &mut study.panels {
        panel.parts.retain(|name| named.contains(name));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_panels_each_keeps_its_own_of_the_named_providers() {
        let panel = |name: &str, providers: &[&str]| Panel {
            name: name.into(),
            title: name.into(),
            providers: providers.iter().map(ToString::to_string).collect(),
            ..blank()
        };
        let two = [panel("best", &["macs"]), panel("soft", &["macs[soft]", "x*"])];
        let left = |named: &[&str]| {
            let named: Vec<String> = named.iter().map(ToString::to_string).collect();
            let left = narrowed(&two, &named);
            left.into_iter().map(|it| (it.name, it.providers.join(" "))).collect::<Vec<_>>()
        };
        let is = |name: &str, providers: &str| (name.to_owned(), providers.to_owned());
        assert_eq!(left(&["macs"]), [is("best", "macs")]);
        assert_eq!(left(&["macs*"]), [is("best", "macs"), is("soft", "macs[soft]")]);
        assert_eq!(left(&["macs", "xy"]), [is("best", "macs"), is("soft", "xy")]);
        assert_eq!(left(&["y"]), [is("named", "y")]);
        let alone = narrowed(&two[..1], &["y".to_owned()]);
        assert_eq!((alone.len(), &alone[0].providers[..]), (1, &["y".to_owned()][..]));
    }
}
