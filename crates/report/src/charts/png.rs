//! A chart as PNG: its SVG, drawn by resvg in a font of this machine.

use std::sync::{Arc, OnceLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};

use super::NotDrawn;

/// Pixels for each of the chart's.
const SCALE: f32 = 2.0;

/// Draws `svg`.
///
/// # Errors
/// When resvg cannot draw it, or there is no font.
pub(super) fn of(svg: &str) -> Result<Vec<u8>, NotDrawn> {
    static FONTS: OnceLock<Arc<Database>> = OnceLock::new();
    let fontdb = FONTS.get_or_init(|| {
        let mut fonts = Database::new();
        fonts.load_system_fonts();
        Arc::new(fonts)
    });
    if fontdb.is_empty() {
        return Err(NotDrawn::NoFont);
    }
    let options = Options { fontdb: fontdb.clone(), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|it| NotDrawn::Library(it.to_string()))?;
    let size = tree.size().to_int_size().scale_by(SCALE).ok_or(NotDrawn::NoSize)?;
    let mut picture = Pixmap::new(size.width(), size.height()).ok_or(NotDrawn::TooLarge)?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut picture.as_mut());
    picture.encode_png().map_err(|error| NotDrawn::Library(error.to_string()))
}
