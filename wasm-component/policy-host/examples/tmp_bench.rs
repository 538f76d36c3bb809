#![allow(warnings, clippy::all, clippy::restriction)]
use policy_host::*;
use std::hint::black_box;
use std::time::Instant;
fn time(name: &str, n: u32, mut f: impl FnMut(usize)) -> f64 {
    let mut best = vec![];
    for _ in 0..15 {
        let t = Instant::now();
        for i in 0..n {
            f(i as usize)
        }
        best.push(t.elapsed().as_nanos() as f64 / n as f64);
    }
    best.sort_by(|a, b| a.total_cmp(b));
    println!("{name:40} {:9.1} ns min, {:9.1} ns median", best[0], best[7]);
    best[7]
}
fn main() {
    let t = Instant::now();
    let e = PolicyEngine::new().unwrap();
    println!("engine new {:?}", t.elapsed());
    let t = Instant::now();
    let ready = Artifact::bundled().precompile().unwrap();
    println!("precompile {:?}, {} bytes", t.elapsed(), ready.bytes.len());
    let t = Instant::now();
    let e2 = PolicyEngine::builder(Artifact::precompiled(ready.bytes.clone(), ready.digest)).build().unwrap();
    println!("from precompiled {:?}", t.elapsed());
    for n in [10usize, 1000, 100_000] {
        let entries: Vec<String> = (0..n)
            .map(|i| if i % 3 == 0 { format!("*.host{i}.example.com") } else { format!("host{i}.example.org") })
            .collect();
        let none: [&str; 0] = [];
        let p = Policy::from_lists(&e, &entries, &none).unwrap();
        let core = policy_core::NetworkPolicy::from_lists(entries.iter().map(|s| s.as_str()), []).unwrap();
        let hosts: Vec<String> = (0..64)
            .map(|i| match i % 4 {
                0 => format!("a.host{}.example.com", (i * 7) % n / 3 * 3),
                1 => format!("host{}.example.org", (i * 5) % n),
                2 => format!("www.other{i}.github.io"),
                _ => format!("API.host{i}.example.net"),
            })
            .collect();
        println!("-- {n} entries");
        let nat = time("native check", 200_000, |i| {
            black_box(core.check(black_box(&hosts[i & 63]), 443));
        });
        let pc = time("policy-host check", 200_000, |i| {
            black_box(p.check(black_box(&hosts[i & 63]), 443));
        });
        println!("   difference {:.0} ns", pc - nat);
        time("policy-host decide", 100_000, |i| {
            black_box(p.decide(black_box(&hosts[i & 63]), 443));
        });
        let batch: Vec<(&str, u16)> = (0..1000).map(|i| (hosts[i & 63].as_str(), 443)).collect();
        let b = time("check_many 1000", 200, |_| {
            black_box(p.check_many(batch.iter().copied()));
        });
        println!("   {:.1} per host", b / 1000.0);
        let b = time("decide_many 1000", 100, |_| {
            black_box(p.decide_many(batch.iter().copied()));
        });
        println!("   {:.1} per host", b / 1000.0);
        // bare core module
        use wasmtime::*;
        let mut c = Config::new();
        c.epoch_interruption(true);
        c.concurrency_support(false);
        for epoch in [true, false] {
            let mut c = Config::new();
            c.epoch_interruption(epoch);
            c.concurrency_support(false);
            let eng = Engine::new(&c).unwrap();
            let m = Module::new(&eng, std::fs::read("../js/generated/policy.core.wasm").unwrap()).unwrap();
            let mut s = Store::new(&eng, ());
            if epoch {
                s.set_epoch_deadline(1 << 40);
            }
            let mut l = Linker::new(&eng);
            let newf = Func::wrap(&mut s, |r: i32| r);
            for i in m.imports() {
                if i.name().contains("resource-new") {
                    l.define(&mut s, i.module(), i.name(), newf.clone()).unwrap();
                } else {
                    let ty = i.ty();
                    if let ExternType::Func(ft) = ty {
                        let f = Func::new(&mut s, ft, |_, _, _| Ok(()));
                        l.define(&mut s, i.module(), i.name(), f).unwrap();
                    }
                }
            }
            let inst = l.instantiate(&mut s, &m).unwrap();
            let mem = inst.get_memory(&mut s, "memory").unwrap();
            let realloc = inst.get_typed_func::<(i32, i32, i32, i32), i32>(&mut s, "cabi_realloc").unwrap();
            let ft = inst
                .get_typed_func::<(i32, i32), i32>(
                    &mut s,
                    "pi-sandbox:policy/network@0.1.0#[static]network-policy.from-transport",
                )
                .unwrap();
            let check = inst
                .get_typed_func::<(i32, i32, i32, i32), i32>(
                    &mut s,
                    "pi-sandbox:policy/network@0.1.0#[method]network-policy.check",
                )
                .unwrap();
            let json = core.to_json();
            let ptr = realloc.call(&mut s, (0, 0, 1, json.len() as i32)).unwrap();
            mem.write(&mut s, ptr as usize, json.as_bytes()).unwrap();
            let rep = ft.call(&mut s, (ptr, json.len() as i32)).unwrap();
            let bare = time(&format!("core module realloc+copy+check, epoch {epoch}"), 200_000, |i| {
                let h = &hosts[i & 63];
                let p = realloc.call(&mut s, (0, 0, 1, h.len() as i32)).unwrap();
                mem.write(&mut s, p as usize, h.as_bytes()).unwrap();
                black_box(check.call(&mut s, (rep, p, h.len() as i32, 443)).unwrap());
            });
            println!("   ratio {:.2}", pc / bare);
            time("one core call (realloc) only", 200_000, |i| {
                let h = &hosts[i & 63];
                let p = realloc.call(&mut s, (0, 0, 1, 0)).unwrap();
                black_box(p);
            });
        }
    }
    let none: [&str; 0] = [];
    time("new policy 1 entry + drop (pooled)", 2000, |_| {
        black_box(Policy::from_lists(&e, &["a.b"], &none).unwrap());
    });
    let e3 = PolicyEngine::builder(Artifact::bundled()).idle_instances(0).build().unwrap();
    time("new policy 1 entry + drop (fresh inst)", 500, |_| {
        black_box(Policy::from_lists(&e3, &["a.b"], &none).unwrap());
    });
    time("canonicalize_host", 50_000, |_| {
        black_box(e.canonicalize_host("API.GitHub.com.").unwrap());
    });
    time("load precompiled engine", 20, |_| {
        black_box(PolicyEngine::builder(Artifact::precompiled(ready.bytes.clone(), ready.digest)).build().unwrap());
    });
    for n in [1_000_000usize] {
        let entries: Vec<String> = (0..n).map(|i| format!("\"host{i}.example.org\"")).collect();
        let json = format!("{{\"network\":{{\"allowedDomains\":[{}]}}}}", entries.join(","));
        for limit in [160usize, 192, 224, 256, 288, 320, 384, 512] {
            let e = PolicyEngine::builder(Artifact::precompiled(ready.bytes.clone(), ready.digest))
                .memory_limit(limit << 20)
                .build()
                .unwrap();
            let t = Instant::now();
            let r = Policy::from_config(&e, &json);
            println!("1M entries, {limit} MiB: {:?} {:?}", r.as_ref().err().map(|e| e.to_string()), t.elapsed());
            if let Ok(p) = r {
                let t = Instant::now();
                let x = Policy::from_lists(&e, &p.allowed_domains().collect::<Vec<_>>(), &none);
                println!("   from lists {:?} {:?}", x.err().map(|e| e.to_string()), t.elapsed());
            }
        }
        let t = Instant::now();
        let p = policy_core::NetworkPolicy::from_config(&json).unwrap();
        println!("native {:?}", t.elapsed());
    }
}
