//! The rules that match the host in question, by port.

use alloc::vec::Vec;
use core::ops::Range;

use super::{Judge, Point, SETS, SweptRule};

/// Ports to show for "any port", the first that fits.
const PREFERRED: [u16; 2] = [443, 80];

/// Rules of each set, and the questions some of them still ask.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Class {
    /// Above 2 it makes no difference.
    counts: [u8; SETS],
    open: u8,
}

/// One port that some rule names.
struct Named {
    port: u16,
    /// The rules in question that name it.
    rules: Vec<u32>,
    /// Where it stands among the ports of its class.
    class: usize,
    position: usize,
}

pub(super) struct Ports<'r> {
    rules: &'r [SweptRule],
    /// Questions still open, by rule.
    open: Vec<u8>,
    /// Rules in question that are for every port.
    every: Vec<u32>,
    /// By port.
    named: Vec<Named>,
    classes: Vec<(Class, Vec<u32>)>,
    /// A port that no rule names, if there is one.
    unnamed: Option<u16>,
}

impl<'r> Ports<'r> {
    pub(super) fn new(rules: &'r [SweptRule], with_port_0: bool) -> Self {
        let mut is_named = alloc::vec![false; usize::from(u16::MAX).saturating_add(1)];
        for port in rules.iter().filter_map(|rule| rule.key.port) {
            if let Some(is_named) = is_named.get_mut(usize::from(port)) {
                *is_named = true;
            }
        }
        let with =
            |named: bool| (0..=u16::MAX).zip(&is_named).filter(move |(_, is)| **is == named).map(|(port, _)| port);
        // No rule can name port 0.
        let unnamed = with(false).find(|&port| with_port_0 || port > 0);
        let ports: Vec<u16> = with(true).collect();
        let numbers = (0..ports.len()).map(small).collect();
        let named = ports.into_iter().enumerate();
        Self {
            rules,
            open: rules.iter().map(|rule| rule.asks).collect(),
            every: Vec::new(),
            named: named.map(|(position, port)| Named { port, rules: Vec::new(), class: 0, position }).collect(),
            classes: alloc::vec![(Class::default(), numbers)],
            unnamed,
        }
    }

    /// The rules of these numbers match the hosts to come.
    pub(super) fn enter(&mut self, group: Range<usize>) {
        for number in group {
            match self.rules.get(number).map(|rule| rule.key.port) {
                Some(Some(port)) => self.change(port, |rules| rules.push(small(number))),
                _ => self.every.push(small(number)),
            }
        }
    }

    /// They no longer do; what entered last leaves first.
    pub(super) fn leave(&mut self, group: Range<usize>) {
        for number in group {
            match self.rules.get(number).map(|rule| rule.key.port) {
                Some(Some(port)) => self.change(port, |rules| {
                    rules.pop();
                }),
                _ => {
                    self.every.pop();
                }
            }
        }
    }

    fn change(&mut self, port: u16, change: impl FnOnce(&mut Vec<u32>)) {
        if let Ok(at) = self.named.binary_search_by_key(&port, |named| named.port) {
            if let Some(named) = self.named.get_mut(at) {
                change(&mut named.rules);
            }
            self.classify(at);
        }
    }

    /// Puts a port into the class that its rules make.
    fn classify(&mut self, at: usize) {
        let Some(named) = self.named.get(at) else { return };
        let class = self.class_of(&named.rules);
        let (old, position) = (named.class, named.position);
        if let Some((_, ports)) = self.classes.get_mut(old) {
            if position < ports.len() {
                ports.swap_remove(position);
            }
            let moved = ports.get(position).copied();
            if let Some(moved) = moved.and_then(|moved| self.named.get_mut(index(moved))) {
                moved.position = position;
            }
        }
        let new = self.classes.iter().position(|(known, _)| *known == class).unwrap_or_else(|| {
            self.classes.push((class, Vec::new()));
            self.classes.len().saturating_sub(1)
        });
        if let Some((_, ports)) = self.classes.get_mut(new) {
            ports.push(small(at));
            if let Some(named) = self.named.get_mut(at) {
                (named.class, named.position) = (new, ports.len().saturating_sub(1));
            }
        }
    }

    fn class_of(&self, rules: &[u32]) -> Class {
        let mut class = Class::default();
        for &number in rules {
            if let Some(rule) = self.rules.get(index(number))
                && let Some(count) = class.counts.get_mut(rule.set)
            {
                *count = count.saturating_add(1).min(2);
            }
            class.open |= self.open.get(index(number)).copied().unwrap_or_default();
        }
        class
    }

    /// Asks the judge about this host at a port of each class, and gives the rules that match there their
    /// answers.
    pub(super) fn visit(&mut self, point: &Point<'_>, judge: &mut dyn Judge) {
        let every = self.class_of(&self.every);
        // The ports that no rule in question names come first: they show best what a rule for every port does.
        if let Some(port) = self.rest() {
            let counts = sum(&every, &Class::default());
            if let Some(question) = judge.judge(point, &counts)
                && every.open & bit(question) != 0
            {
                self.answer_every(question, point, port, &counts, judge);
            }
        }
        // Answers only move ports to classes that have fewer open questions; those may come later in the list.
        let mut at = 0_usize;
        while let Some((class, ports)) = self.classes.get(at) {
            let class = *class;
            at = at.saturating_add(1);
            let Some(&first) = ports.first().filter(|_| class != Class::default()) else { continue };
            let counts = sum(&every, &class);
            let Some(question) = judge.judge(point, &counts) else { continue };
            if self.class_of(&self.every).open & bit(question) != 0
                && let Some(port) = self.named.get(index(first)).map(|named| named.port)
            {
                self.answer_every(question, point, port, &counts, judge);
            }
            if class.open & bit(question) != 0 {
                self.answer_class(at.saturating_sub(1), question, point, &counts, judge);
            }
        }
    }

    fn answer_every(
        &mut self,
        question: u8,
        point: &Point<'_>,
        port: u16,
        counts: &[u32; SETS],
        judge: &mut dyn Judge,
    ) {
        for number in self.every.iter().copied().map(index) {
            settle(self.rules, &mut self.open, number, question, &mut |id| {
                judge.answer(id, question, point, port, counts)
            });
        }
    }

    /// Each port of the class has a rule of its own that asks.
    fn answer_class(
        &mut self,
        class: usize,
        question: u8,
        point: &Point<'_>,
        counts: &[u32; SETS],
        judge: &mut dyn Judge,
    ) {
        let ports = self.classes.get(class).map(|(_, ports)| ports.clone()).unwrap_or_default();
        for at in ports.into_iter().map(index) {
            let Some(named) = self.named.get(at) else { continue };
            let port = named.port;
            for number in named.rules.iter().copied().map(index) {
                settle(self.rules, &mut self.open, number, question, &mut |id| {
                    judge.answer(id, question, point, port, counts);
                });
            }
            self.classify(at);
        }
    }

    /// A port that none of the rules in question names.
    fn rest(&self) -> Option<u16> {
        let is_rest = |port: u16| {
            let named = self.named.binary_search_by_key(&port, |named| named.port).ok();
            named.and_then(|at| self.named.get(at)).is_none_or(|named| named.rules.is_empty())
        };
        let idle = || self.named.get(index(*self.classes.first()?.1.first()?)).map(|named| named.port);
        PREFERRED.into_iter().find(|&port| is_rest(port)).or(self.unnamed).or_else(idle)
    }
}

/// Closes a question that a rule asks.
fn settle(rules: &[SweptRule], open: &mut [u8], number: usize, question: u8, answer: &mut dyn FnMut(u32)) {
    if let (Some(rule), Some(open)) = (rules.get(number), open.get_mut(number))
        && *open & bit(question) != 0
    {
        *open &= !bit(question);
        answer(rule.id);
    }
}

fn sum(every: &Class, named: &Class) -> [u32; SETS] {
    let mut counts = [0; SETS];
    for ((count, every), named) in counts.iter_mut().zip(every.counts).zip(named.counts) {
        *count = u32::from(every).saturating_add(u32::from(named));
    }
    counts
}

fn bit(question: u8) -> u8 {
    1_u8.wrapping_shl(u32::from(question))
}

/// There are fewer rules than bytes in a policy, which 32 bits count.
fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
