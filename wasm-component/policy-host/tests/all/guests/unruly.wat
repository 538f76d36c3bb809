;; A guest of the world `pi-sandbox:policy/policy` that misbehaves on request: what it does depends on the port or on
;; which function is called. Everything it is not asked to break works, so that a test sees the next call succeed.
;;
;;   check, decide: port 1 traps, 2 never ends, 3 takes memory for ever, 4 answers outside its type,
;;                  5 recurses for ever, 6 answers with a text outside its memory; any other port is allowed
;;   decide-many:   no answer at all; check-many: deny for each
;;   from-transport, from-lists: work; the fingerprint is `A`, but `B` when made from an empty text
(module
  (import "[export]pi-sandbox:policy/network@0.1.0" "[resource-new]network-policy"
    (func $resource_new (param i32) (result i32)))
  (memory (export "memory") 16)

  (data (i32.const 16) "AB*.example.com")
  ;; 256: where answers are laid out. 4096 to 1 MiB: arguments.
  (global $free (mut i32) (i32.const 4096))
  (global $fingerprint (mut i32) (i32.const 16))

  (func (export "cabi_realloc") (param $old i32) (param $old_size i32) (param $align i32) (param $size i32) (result i32)
    (local $at i32)
    (local.set $at (i32.and (i32.add (global.get $free) (i32.const 7)) (i32.const -8)))
    (if (i32.gt_u (i32.add (local.get $at) (local.get $size)) (i32.const 1048576))
      (then (local.set $at (i32.const 4096))))
    (global.set $free (i32.add (local.get $at) (local.get $size)))
    (local.get $at))

  (func $recurse (param i32) (result i32)
    (i32.add (call $recurse (i32.add (local.get 0) (i32.const 1))) (i32.const 1)))

  (func $misbehave (param $port i32)
    (if (i32.eq (local.get $port) (i32.const 1)) (then unreachable))
    (if (i32.eq (local.get $port) (i32.const 2)) (then (loop $for_ever (br $for_ever))))
    (if (i32.eq (local.get $port) (i32.const 3))
      (then (loop $more (drop (memory.grow (i32.const 16))) (br $more))))
    (if (i32.eq (local.get $port) (i32.const 5)) (then (drop (call $recurse (i32.const 0))))))

  ;; network

  (func (export "pi-sandbox:policy/network@0.1.0#[static]network-policy.from-config") (param i32 i32) (result i32)
    unreachable)
  (func (export "pi-sandbox:policy/network@0.1.0#[static]network-policy.from-transport") (param $text i32) (param $length i32) (result i32)
    (if (i32.eqz (local.get $length)) (then (global.set $fingerprint (i32.const 17))))
    (call $resource_new (i32.const 1)))
  (func (export "pi-sandbox:policy/network@0.1.0#[static]network-policy.from-lists") (param i32 i32 i32 i32) (result i32)
    (i32.store (i32.const 256) (i32.const 0))
    (i32.store (i32.const 260) (call $resource_new (i32.const 1)))
    (i32.const 256))
  (func (export "pi-sandbox:policy/network@0.1.0#[method]network-policy.check") (param $self i32) (param $host i32) (param $length i32) (param $port i32) (result i32)
    (call $misbehave (local.get $port))
    (if (i32.eq (local.get $port) (i32.const 4)) (then (return (i32.const 77))))
    (i32.const 2))
  (func (export "pi-sandbox:policy/network@0.1.0#[method]network-policy.decide") (param $self i32) (param $host i32) (param $length i32) (param $port i32) (result i32)
    (call $misbehave (local.get $port))
    ;; allow(allowance { rule { list, index, pattern }, host, port })
    (i32.store (i32.const 256) (select (i32.const 9) (i32.const 0) (i32.eq (local.get $port) (i32.const 4))))
    (i32.store (i32.const 260) (i32.const 0))
    (i32.store (i32.const 264) (i32.const 3))
    (i32.store (i32.const 268) (i32.const 18))
    (i32.store (i32.const 272) (i32.const 13))
    (i32.store (i32.const 276) (select (i32.const -9) (local.get $host) (i32.eq (local.get $port) (i32.const 6))))
    (i32.store (i32.const 280) (local.get $length))
    (i32.store (i32.const 284) (local.get $port))
    (i32.const 256))
  (func (export "pi-sandbox:policy/network@0.1.0#[method]network-policy.decide-many") (param i32 i32 i32) (result i32)
    (i32.store (i32.const 256) (i32.const 512))
    (i32.store (i32.const 260) (i32.const 0))
    (i32.const 256))
  (func (export "pi-sandbox:policy/network@0.1.0#[method]network-policy.check-many") (param $self i32) (param $list i32) (param $count i32) (result i32)
    (i32.store (i32.const 256) (i32.const 512))
    (i32.store (i32.const 260) (local.get $count))
    (i32.const 256))
  (func (export "pi-sandbox:policy/network@0.1.0#[method]network-policy.fingerprint") (param i32) (result i32)
    (i32.store (i32.const 256) (global.get $fingerprint))
    (i32.store (i32.const 260) (i32.const 1))
    (i32.const 256))
  (func $no_entries (param i32) (result i32)
    (i32.store (i32.const 256) (i32.const 512))
    (i32.store (i32.const 260) (i32.const 0))
    (i32.const 256))
  (export "pi-sandbox:policy/network@0.1.0#[method]network-policy.allowed-domains" (func $no_entries))
  (export "pi-sandbox:policy/network@0.1.0#[method]network-policy.denied-domains" (func $no_entries))
  (func (export "pi-sandbox:policy/network@0.1.0#[method]network-policy.to-json") (param i32) (result i32)
    unreachable)

  ;; config, hosts, host-ipc

  (func (export "pi-sandbox:policy/config@0.1.0#parse-config") (param i32 i32) (result i32)
    unreachable)
  (func (export "pi-sandbox:policy/hosts@0.1.0#canonicalize-host") (param i32 i32) (result i32)
    unreachable)
  (func (export "pi-sandbox:policy/hosts@0.1.0#normalize-public-hostname") (param i32 i32) (result i32)
    (loop $for_ever (br $for_ever))
    unreachable)
  (func (export "pi-sandbox:policy/hosts@0.1.0#is-public-address") (param i32 i32) (result i32)
    unreachable)
  (func (export "pi-sandbox:policy/hosts@0.1.0#check-addresses") (param i32 i32) (result i32)
    (i32.const 1))
  (func (export "pi-sandbox:policy/host-ipc@0.1.0#matching-preflight-prefix") (param i32 i32 i32 i32) (result i32)
    unreachable)
  (func (export "pi-sandbox:policy/host-ipc@0.1.0#is-unix-socket-permission-error") (param i32 i32) (result i32)
    (call $recurse (i32.const 0)))
)
