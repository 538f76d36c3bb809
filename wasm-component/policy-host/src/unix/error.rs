//! What can go wrong on the way between a worker and its supervisor.

use std::fmt;
use std::io;

use crate::error::{Error, Failure};

/// Why a worker has no answer. A connection that it was for must not be made.
#[derive(Debug)]
#[non_exhaustive]
pub enum ClientError {
    /// The supervisor was not reached, did not answer in time, or ended the connection first.
    Io(io::Error),
    /// The supervisor did not take the worker in.
    Denied,
    /// The request was not made, or the engine could not answer.
    Policy(Error),
}

/// Why a supervisor has ended, or cannot be asked.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServerError {
    /// The engine could not answer: what the supervisor knew is lost, every connection was ended.
    Engine(Failure),
    /// The system cannot wait for sockets; every connection was ended.
    System(io::Error),
    /// It has ended before.
    Ended,
}

impl From<io::Error> for ClientError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Error> for ClientError {
    fn from(error: Error) -> Self {
        Self::Policy(error)
    }
}

impl From<Failure> for ClientError {
    fn from(failure: Failure) -> Self {
        Self::Policy(Error::Failed(failure))
    }
}

impl From<Failure> for ServerError {
    fn from(failure: Failure) -> Self {
        Self::Engine(failure)
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "no answer from the supervisor: {error}"),
            Self::Denied => f.write_str("the supervisor did not take the worker in"),
            Self::Policy(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Engine(failure) => write!(f, "the supervisor has ended and denies everything: {failure}"),
            Self::System(error) => write!(f, "the supervisor has ended and denies everything: {error}"),
            Self::Ended => f.write_str("the supervisor has ended"),
        }
    }
}

impl std::error::Error for ClientError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Denied => None,
            Self::Policy(error) => Some(error),
        }
    }
}

impl std::error::Error for ServerError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Engine(failure) => Some(failure),
            Self::System(error) => Some(error),
            Self::Ended => None,
        }
    }
}
