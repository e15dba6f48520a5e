//! What JavaScript has numbers for.

use macs::{Batch, DynMac};

use crate::refused::Refused;

/// Something with keys in it, which wipes them when it is dropped.
pub enum Object {
    /// A key, or a message under way.
    Mac(DynMac),
    /// Many keys.
    Batch(Batch),
}

/// All that there are; a number is a place here, and is used again.
pub struct Objects {
    places: Vec<Option<Object>>,
    free: Vec<u32>,
}

impl Objects {
    pub const fn new() -> Self {
        Self { places: Vec::new(), free: Vec::new() }
    }

    pub fn add(&mut self, object: Object) -> u32 {
        let number = self.free.pop().unwrap_or(self.places.len() as u32);
        match self.places.get_mut(number as usize) {
            Some(place) => *place = Some(object),
            None => self.places.push(Some(object)),
        }
        number
    }

    /// Drops it, which wipes its keys.
    pub fn remove(&mut self, number: u32) -> Result<(), Refused> {
        let place = self.places.get_mut(number as usize).ok_or(Refused::NoObject)?;
        place.take().ok_or(Refused::NoObject)?;
        self.free.push(number);
        Ok(())
    }

    pub fn mac(&self, number: u32) -> Result<&DynMac, Refused> {
        match self.places.get(number as usize) {
            Some(Some(Object::Mac(mac))) => Ok(mac),
            _ => Err(Refused::NoObject),
        }
    }

    pub fn mac_mut(&mut self, number: u32) -> Result<&mut DynMac, Refused> {
        match self.places.get_mut(number as usize) {
            Some(Some(Object::Mac(mac))) => Ok(mac),
            _ => Err(Refused::NoObject),
        }
    }

    pub fn batch(&self, number: u32) -> Result<&Batch, Refused> {
        match self.places.get(number as usize) {
            Some(Some(Object::Batch(batch))) => Ok(batch),
            _ => Err(Refused::NoObject),
        }
    }
}
