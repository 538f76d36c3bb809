//! The component through `policy-host`.
