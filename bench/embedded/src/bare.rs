//! The core as a plain module in wasmtime, called by hand.

use anyhow::{Context, Result};
use wasmtime::{Config, Engine, Instance, Memory, Module, Store, TypedFunc};

/// An instance with a policy loaded.
pub(crate) struct Bare {
    store: Store<()>,
    memory: Memory,
    host: usize,
    check: TypedFunc<(u32, u32), u32>,
}

impl Bare {
    /// With a deadline, its check is compiled into every loop and every function, as in `policy-host`.
    pub(crate) fn new(module: &[u8], network: &str, deadline: bool) -> Result<Self> {
        let mut config = Config::new();
        config.epoch_interruption(deadline);
        let engine = Engine::new(&config)?;
        let module = Module::new(&engine, module)?;
        let mut store = Store::new(&engine, ());
        if deadline {
            store.set_epoch_deadline(1);
        }
        let instance = Instance::new(&mut store, &module, &[])?;
        let memory = instance.get_memory(&mut store, "memory").context("the module has no memory")?;
        let host = instance.get_typed_func::<(), u32>(&mut store, "host_address")?.call(&mut store, ())?;
        let check = instance.get_typed_func(&mut store, "check")?;

        let length = u32::try_from(network.len())?;
        let text = instance.get_typed_func::<u32, u32>(&mut store, "text_address")?.call(&mut store, length)?;
        memory.write(&mut store, text as usize, network.as_bytes())?;
        instance.get_typed_func::<(), ()>(&mut store, "load")?.call(&mut store, ())?;
        Ok(Self { store, memory, host: host as usize, check })
    }

    /// 0 is deny, 1 review, 2 allow.
    pub(crate) fn check(&mut self, host: &str, port: u16) -> Result<u32> {
        let place = self.memory.data_mut(&mut self.store).get_mut(self.host..self.host + host.len());
        place.context("the host is too long")?.copy_from_slice(host.as_bytes());
        Ok(self.check.call(&mut self.store, (host.len() as u32, u32::from(port)))?)
    }
}
