//! Runs a plan: applies its operations one by one, each with its own outcome, and undoes everything at the end.
//!
//! The ids of what an operation creates depend only on the change and the operation's position, not on which other
//! operations are accepted. So what is applied is exactly what was previewed.

use std::collections::{BTreeSet, HashSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use sitewright_tool::{ErrorCode, Receipt, ToolError};

use crate::tools::{Stop, Work};
use crate::{
    BodyId, ChangeId, DiffLine, DocumentRef, Facts, Mint, Need, NewEntity, OPS_MAX, Op, Outcome,
    Site, View, diff,
};

use super::act::{Act, MadeByName};
use super::caution::{Caution, cautions};
use super::check::op_name;
use super::problem::{PlanProblem, PlanProblemKind, short};
use super::shape::SHAPES;
use super::{EditPlan, PLAN_NODES_MAX, PlanOp, Ref, page_ref, sentence};

/// How many extra runs are spent on finding out what an operation depends on.
const BLAME_TRIES_MAX: usize = 32;
/// The maximum number of nodes that a problem names.
const NAMED_MAX: usize = 8;

/// Which operations of a plan are accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Accept {
    All,
    /// The operations at these positions.
    Only(BTreeSet<usize>),
}

/// The result of running a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanRun {
    /// The ops of its change: those of all operations that succeeded.
    pub ops: Vec<Op>,
    /// The outcome of each operation, in plan order.
    pub outcomes: Vec<OpOutcome>,
    /// Problems of the plan as a whole.
    pub problems: Vec<PlanProblem>,
    /// The combined receipt of all operations that succeeded.
    pub receipt: Receipt,
    /// The combined diff.
    pub diff: Vec<DiffLine>,
    /// Reasons to ask a person before the plan is applied.
    pub cautions: Vec<Caution>,
    /// The document the editor should show.
    pub open: Option<DocumentRef>,
}

/// What became of an operation.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpOutcome {
    /// Its position in the plan.
    pub index: usize,
    /// Its name.
    pub op: String,
    /// What became of it.
    pub status: OpStatus,
    /// What really happened.
    pub receipt: Receipt,
    /// What is different after it.
    pub diff: Vec<DiffLine>,
    /// Why it was not done.
    pub problems: Vec<PlanProblem>,
    /// The operations it needs and that are not done.
    pub depends_on: Vec<usize>,
}

/// What became of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OpStatus {
    /// It is done.
    Done,
    /// It cannot be done.
    Failed,
    /// It was not accepted.
    NotAccepted,
    /// It needs another one that is not done.
    Dependent,
}

impl PlanRun {
    /// Whether everything that was accepted can be done.
    pub fn is_clean(&self) -> bool {
        let fine =
            |outcome: &OpOutcome| matches!(outcome.status, OpStatus::Done | OpStatus::NotAccepted);
        self.problems.is_empty() && self.outcomes.iter().all(fine)
    }

    /// All problems, in plan order.
    pub fn all_problems(&self) -> impl Iterator<Item = &PlanProblem> {
        let of_ops = self.outcomes.iter().flat_map(|outcome| &outcome.problems);
        self.problems.iter().chain(of_ops)
    }
}

impl EditPlan {
    /// Applies the accepted operations to the site and undoes them; the site is unchanged afterwards.
    ///
    /// Operations run in order, each on the result of the earlier ones. An operation that fails is undone and reported,
    /// operations that use what it would have created are skipped as dependent, and the run continues with the others.
    /// When only a part is accepted, the whole plan is run first as a reference: an operation that succeeds there and
    /// fails here must depend on one that was not accepted, and a few more runs find out which. Documents that are not
    /// loaded are requested together before the first operation.
    ///
    /// The ops are for the change with the id `change`, from which the ids of new nodes derive.
    pub fn run(
        &self,
        accept: &Accept,
        site: &mut Site,
        view: &View,
        (facts, change): (&Facts, ChangeId),
    ) -> Result<Outcome<PlanRun>, ToolError> {
        let whole = match accept {
            Accept::All => None,
            Accept::Only(_) => {
                match self.walk(&Accept::All, site, view, (facts, change.clone()))? {
                    Outcome::Done(run) => Some(run),
                    Outcome::Needs(needs) => return Ok(Outcome::Needs(needs)),
                }
            }
        };
        let mut walk = |accept: &Accept| self.walk(accept, site, view, (facts, change.clone()));
        let run = walk(accept)?;
        let Outcome::Done(mut run) = run else {
            return Ok(run);
        };
        if let Some(whole) = whole {
            run.blame_what_was_left_out(&whole, walk)?;
        }
        Ok(Outcome::Done(run))
    }

    /// Describes an operation in a sentence for a person. Uses the plan's change log where that has exactly one
    /// sentence for each operation.
    pub fn step_title(&self, index: usize, site: &Site) -> Option<String> {
        let op = self.ops.get(index)?;
        match self.change_log.get(index) {
            Some(title) if self.change_log.len() == self.ops.len() => Some(title.clone()),
            _ => Some(sentence::of(op, &self.ops, site)),
        }
    }

    fn walk(
        &self,
        accept: &Accept,
        site: &mut Site,
        view: &View,
        (facts, change): (&Facts, ChangeId),
    ) -> Result<Outcome<PlanRun>, ToolError> {
        let before = Site {
            shell: site.shell.clone(),
            ..Site::default()
        };
        let work = Work::new(site, view, facts, change.clone());
        let mut walk = Walk {
            plan: self,
            change,
            work,
            made: MadeByName::new(),
            before,
            outcomes: Vec::with_capacity(self.ops.len()),
        };
        let needs = walk.needs(accept);
        if !needs.is_empty() {
            return Ok(Outcome::Needs(needs));
        }
        for index in 0..self.ops.len() {
            match walk.step(index, accept) {
                Ok(outcome) => walk.outcomes.push(outcome),
                Err(Stop::Needs(needs)) => return Ok(Outcome::Needs(needs)),
                Err(Stop::Error(error)) => return Err(*error),
            }
        }
        walk.finish(accept).map(Outcome::Done)
    }
}

impl PlanRun {
    /// Marks operations that fail here and succeed in the whole plan as dependent on operations that were not accepted.
    ///
    /// To find the ones an operation needs, the whole plan is run without each candidate in turn. When that takes too
    /// many runs, or no single candidate makes the difference, all earlier operations that were not accepted are named.
    fn blame_what_was_left_out(
        &mut self,
        whole: &Self,
        mut walk: impl FnMut(&Accept) -> Result<Outcome<Self>, ToolError>,
    ) -> Result<(), ToolError> {
        let with_status = |run: &Self, wanted: OpStatus| -> BTreeSet<usize> {
            let outcomes = run.outcomes.iter();
            let wanted = outcomes.filter(|outcome| outcome.status == wanted);
            wanted.map(|outcome| outcome.index).collect()
        };
        let possible = with_status(whole, OpStatus::Done);
        let not_accepted = with_status(self, OpStatus::NotAccepted);
        let mut tries_left = BLAME_TRIES_MAX;
        for index in with_status(self, OpStatus::Failed).intersection(&possible) {
            let earlier: BTreeSet<usize> = not_accepted.range(..index).copied().collect();
            let mut needed = BTreeSet::new();
            if earlier.len() <= tries_left {
                tries_left -= earlier.len();
                for candidate in &earlier {
                    let mut others = possible.clone();
                    others.remove(candidate);
                    if let Outcome::Done(run) = walk(&Accept::Only(others))?
                        && run.outcomes[*index].status != OpStatus::Done
                    {
                        needed.insert(*candidate);
                    }
                }
            }
            let outcome = &mut self.outcomes[*index];
            outcome.status = OpStatus::Dependent;
            outcome.depends_on = match needed.is_empty() {
                true => earlier.into_iter().collect(),
                false => needed.into_iter().collect(),
            };
        }
        Ok(())
    }

    /// The accepted operations that depend on others that were not accepted, each with those others.
    pub fn steps_left_out(&self) -> Vec<(usize, Vec<usize>)> {
        let is_left_out = |index: &usize| self.outcomes[*index].status == OpStatus::NotAccepted;
        let dependent = self
            .outcomes
            .iter()
            .filter(|outcome| outcome.status == OpStatus::Dependent);
        dependent
            .map(|outcome| {
                let needed = outcome.depends_on.iter().copied().filter(is_left_out);
                (outcome.index, needed.collect::<Vec<usize>>())
            })
            .filter(|(_, needed)| !needed.is_empty())
            .collect()
    }
}

/// The state of one run.
struct Walk<'a> {
    plan: &'a EditPlan,
    change: ChangeId,
    work: Work<'a>,
    made: MadeByName,
    /// A snapshot of the parts that the plan touched, from before the plan.
    before: Site,
    outcomes: Vec<OpOutcome>,
}

impl Walk<'_> {
    fn accepted(&self, index: usize, accept: &Accept) -> bool {
        match accept {
            Accept::All => index < self.plan.ops.len(),
            Accept::Only(indexes) => indexes.contains(&index),
        }
    }

    /// The documents that must be loaded, requested all at once.
    fn needs(&self, accept: &Accept) -> Vec<Need> {
        let mut needs: Vec<Need> = Vec::new();
        for (index, op) in self.plan.ops.iter().enumerate() {
            if !self.accepted(index, accept) {
                continue;
            }
            for (_, node) in op.nodes() {
                if let Ref::Known(id) = node
                    && let Err(Stop::Needs(more)) = self.work.locate(*id)
                {
                    needs.extend(more);
                }
            }
            if let PlanOp::AddSection { page, .. } | PlanOp::DuplicatePage { page, .. } = op
                && let Ref::Known(id) = page
                && self.work.site.shell.pages.get(*id).is_some()
                && !self.work.site.bodies.contains_key(id)
            {
                needs.push(Need::Body(*id));
            }
        }
        let mut seen = HashSet::new();
        needs.retain(|need| seen.insert(need.clone()));
        needs
    }

    fn step(&mut self, index: usize, accept: &Accept) -> Result<OpOutcome, Stop> {
        let op = &self.plan.ops[index];
        let mut outcome = OpOutcome {
            index,
            op: op_name(op),
            status: OpStatus::NotAccepted,
            receipt: Receipt::default(),
            diff: Vec::new(),
            problems: Vec::new(),
            depends_on: Vec::new(),
        };
        if !self.accepted(index, accept) {
            return Ok(outcome);
        }
        outcome.depends_on = self.missing(op);
        if !outcome.depends_on.is_empty() {
            outcome.status = OpStatus::Dependent;
            return Ok(outcome);
        }
        match self.attempt(index)? {
            Ok((receipt, lines)) => {
                outcome.status = OpStatus::Done;
                outcome.receipt = receipt;
                outcome.diff = lines;
            }
            Err(problem) => {
                outcome.status = OpStatus::Failed;
                outcome.problems.push(problem);
            }
        }
        Ok(outcome)
    }

    /// The operations that create what this one uses and that are not done, including those that they in turn depend
    /// on.
    fn missing(&self, op: &PlanOp) -> Vec<usize> {
        let mut missing = BTreeSet::new();
        let mut to_visit = vec![op];
        while let Some(op) = to_visit.pop() {
            let pages = op.pages().into_iter().filter_map(|(_, page)| match page {
                Ref::Made(name) => Some(name),
                Ref::Known(_) => None,
            });
            let nodes = op.nodes().into_iter().filter_map(|(_, node)| match node {
                Ref::Made(name) => Some(name),
                Ref::Known(_) => None,
            });
            let unmade = pages
                .chain(nodes)
                .filter(|name| !self.made.contains_key(*name));
            for name in unmade {
                let makes = |op: &PlanOp| op.made_name() == Some(name);
                let maker = self.plan.ops.iter().enumerate().find(|(_, op)| makes(op));
                if let Some((index, maker)) = maker
                    && missing.insert(index)
                {
                    to_visit.push(maker);
                }
            }
        }
        missing.into_iter().collect()
    }

    /// Applies one operation, or leaves the site unchanged when it has a problem.
    ///
    /// Ids are minted from the change and the position alone. The steps are computed, undone and applied again, because
    /// only the finished list of steps says which documents to snapshot for the diff. An operation that has no effect is a problem too.
    fn attempt(
        &mut self,
        index: usize,
    ) -> Result<Result<(Receipt, Vec<DiffLine>), PlanProblem>, Stop> {
        let op = &self.plan.ops[index];
        self.work.mint = Mint::new(ChangeId::of_call(
            self.change.as_str(),
            &format!("op {index}"),
        ));
        self.work.receipt = Receipt::default();
        let start = self.work.steps();
        let mut act = Act {
            work: &mut self.work,
            made: &self.made,
        };
        let made = match act.run(op) {
            Ok(made) => made,
            Err(Stop::Error(error)) if error.code != ErrorCode::Internal => {
                self.work.take_back(start)?;
                return Ok(Err(self.problem(index, &error)));
            }
            Err(stop) => return Err(stop),
        };
        let steps = self.work.take_back(start)?;
        if let Some(problem) = self.without_effect(index, &steps) {
            return Ok(Err(problem));
        }
        let before = self.keep(&steps);
        for step in steps {
            self.work.step(step)?;
        }
        if let Some(problem) = self.too_large(index) {
            self.work.take_back(start)?;
            return Ok(Err(problem));
        }
        if let Some(name) = op.made_name() {
            self.made.insert(name.to_owned(), made);
        }
        let receipt = std::mem::take(&mut self.work.receipt);
        Ok(Ok((receipt, diff(&before, self.work.site))))
    }

    fn without_effect(&self, index: usize, steps: &[Op]) -> Option<PlanProblem> {
        if !steps.is_empty() {
            return None;
        }
        let op = &self.plan.ops[index];
        let expected = "The site is like this already. Leave the operation out, or say what should be different.";
        let written = serde_json::to_value(op).unwrap_or_default();
        Some(PlanProblem::new(
            PlanProblemKind::NoEffectiveChange,
            format!("/ops/{index}"),
            short(&written),
            expected,
        ))
    }

    /// A snapshot of what these steps are about to touch. The first snapshot of each document also goes into `before`,
    /// for the diff of the whole plan.
    fn keep(&mut self, steps: &[Op]) -> Site {
        let site = &*self.work.site;
        let touched = steps.iter().filter_map(|op| op.scope().body());
        let touched: BTreeSet<BodyId> = touched.collect();
        let copies = touched
            .into_iter()
            .filter_map(|id| Some((id, site.bodies.get(&id)?.clone())));
        let copy = Site {
            shell: site.shell.clone(),
            bodies: copies.collect(),
            ..Site::default()
        };
        let shell = &self.before.shell;
        for (id, tree) in &copy.bodies {
            let was_there = shell.pages.get(*id).is_some() || shell.components.get(*id).is_some();
            if was_there && !self.before.bodies.contains_key(id) {
                self.before.bodies.insert(*id, tree.clone());
            }
        }
        copy
    }

    fn too_large(&self, index: usize) -> Option<PlanProblem> {
        let steps = self.work.done();
        let nodes: usize = steps
            .iter()
            .map(|step| match step {
                Op::Insert { new } => match &**new {
                    NewEntity::Nodes { nodes, .. } => nodes.nodes().len(),
                    NewEntity::Page { tree, .. } | NewEntity::Component { tree, .. } => {
                        tree.nodes().len()
                    }
                    NewEntity::Item { .. } | NewEntity::Piece { .. } | NewEntity::Record { .. } => {
                        0
                    }
                },
                Op::Put { .. } | Op::Place { .. } | Op::Order { .. } | Op::Remove { .. } => 0,
            })
            .sum();
        if nodes <= PLAN_NODES_MAX && steps.len() <= OPS_MAX {
            return None;
        }
        let found = format!("{nodes} new nodes and {} steps up to here", steps.len());
        let expected = format!(
            "A plan may bring {PLAN_NODES_MAX} nodes and take {OPS_MAX} steps; do the rest in a second one."
        );
        let pointer = format!("/ops/{index}");
        Some(PlanProblem::new(
            PlanProblemKind::TooLarge,
            pointer,
            found,
            expected,
        ))
    }

    /// Converts the error of a tool to a problem in the plan's terms.
    fn problem(&self, index: usize, error: &ToolError) -> PlanProblem {
        let op = &self.plan.ops[index];
        let site = &*self.work.site;
        if error.code == ErrorCode::NotFound {
            for (field, page) in op.pages() {
                if let Ref::Known(id) = page
                    && site.shell.pages.get(*id).is_none()
                {
                    let pointer = format!("/ops/{index}/{field}");
                    return page_ref::unknown(&pointer, &id.to_string(), site);
                }
            }
            for (field, node) in op.nodes() {
                if let Ref::Known(id) = node
                    && !site.bodies.values().any(|tree| tree.node(*id).is_some())
                {
                    return self.unknown_node(index, field, &id.to_string());
                }
            }
        }
        let kind = match error.code {
            ErrorCode::NotFound => PlanProblemKind::NotFound,
            ErrorCode::Conflict => PlanProblemKind::Conflict,
            ErrorCode::TooLarge => PlanProblemKind::TooLarge,
            _ => PlanProblemKind::Invalid,
        };
        let Place { pointer, names } = place_of(op, index, error);
        let written = serde_json::to_value(op).unwrap_or_default();
        let found = short(pointed(&written, &pointer, index));
        let mut expected = in_words_of_the_plan(&error.message);
        if let Some((of_the_tool, of_the_plan)) = names {
            expected = expected.replace(&of_the_tool, &of_the_plan);
        }
        PlanProblem::new(kind, pointer, found, expected).with_example(SHAPES.example(&op_name(op)))
    }

    fn unknown_node(&self, index: usize, field: &str, id: &str) -> PlanProblem {
        let site = &*self.work.site;
        let shown = self.work.view.current;
        let tree = shown.and_then(|page| site.bodies.get(&page));
        let there = tree.map_or_else(String::new, |tree| {
            let sections = tree.children(tree.root());
            let sections = sections.filter(|id| super::act::counts(tree, *id));
            let named: Vec<String> = sections
                .take(NAMED_MAX)
                .filter_map(|id| {
                    Some(format!(
                        "`{}` ({id})",
                        crate::tools::name_of(tree.node(id)?)
                    ))
                })
                .collect();
            format!(
                " The page that is open has {} under its body ({}).",
                if named.is_empty() {
                    "nothing".to_owned()
                } else {
                    named.join(", ")
                },
                tree.root()
            )
        });
        let expected = format!(
            "There is no such node, or an earlier operation removes it. Read the document again: ids are never made up.{there}"
        );
        let pointer = format!("/ops/{index}/{field}");
        PlanProblem::new(
            PlanProblemKind::NotFound,
            pointer,
            format!("`{id}`"),
            expected,
        )
    }

    fn finish(mut self, accept: &Accept) -> Result<PlanRun, ToolError> {
        let plan = self.plan;
        let done: Vec<&PlanOp> = self
            .outcomes
            .iter()
            .filter(|outcome| outcome.status == OpStatus::Done)
            .map(|outcome| &plan.ops[outcome.index])
            .collect();
        let after = &*self.work.site;
        let lines = diff(&self.before, after);
        let cautions = cautions(&done, self.work.done(), (&self.before, after));
        let mut problems = Vec::new();
        if !done.is_empty() && lines.is_empty() {
            let expected = "The operations undo each other. Leave out those that are not wanted.";
            let found = format!("{} operations that change nothing together", done.len());
            let kind = PlanProblemKind::NoEffectiveChange;
            problems.push(PlanProblem::new(kind, "/ops", found, expected));
        }
        if let Accept::Only(indexes) = accept {
            let most = plan.ops.len();
            let beyond = indexes.iter().filter(|index| **index >= most);
            problems.extend(beyond.map(|index| {
                let expected = format!("The plan has {most} operations, counted from 0.");
                let found = format!("an accepted operation {index}");
                PlanProblem::new(PlanProblemKind::NotFound, "/ops", found, expected)
            }));
        }
        let mut receipt = Receipt::default();
        for outcome in &self.outcomes {
            gather(&mut receipt, &outcome.receipt);
        }
        let open = self.work.open;
        Ok(PlanRun {
            ops: self.work.take_ops()?,
            outcomes: self.outcomes,
            problems,
            receipt,
            diff: lines,
            cautions,
            open,
        })
    }
}

fn gather(all: &mut Receipt, one: &Receipt) {
    let Receipt {
        created,
        changed,
        unchanged,
        removed,
        missing,
        sanitised,
        notes,
    } = one;
    let lists = [
        (&mut all.created, created),
        (&mut all.changed, changed),
        (&mut all.unchanged, unchanged),
        (&mut all.removed, removed),
        (&mut all.missing, missing),
    ];
    for (all, one) in lists {
        for touched in one {
            if !all.contains(touched) {
                all.push(touched.clone());
            }
        }
    }
    all.sanitised.extend(sanitised.iter().cloned());
    all.notes.extend(notes.iter().cloned());
}

/// The field that a tool refused, located in the plan.
struct Place {
    pointer: String,
    /// The tool's name of the field, and the plan's.
    names: Option<(String, String)>,
}

fn place_of(op: &PlanOp, index: usize, error: &ToolError) -> Place {
    let whole = Place {
        pointer: format!("/ops/{index}"),
        names: None,
    };
    let field = error
        .details
        .as_ref()
        .and_then(|details| details["errors"][0]["pointer"].as_str())
        .map(|pointer| pointer.trim_start_matches('/'));
    let Some(field) = field.filter(|field| !field.is_empty() && !field.contains('/')) else {
        return whole;
    };
    let snake: String = field
        .trim_end_matches("Id")
        .chars()
        .flat_map(|char| {
            let upper = char.is_ascii_uppercase().then_some('_');
            upper.into_iter().chain([char.to_ascii_lowercase()])
        })
        .collect();
    let written = serde_json::to_value(op).unwrap_or_default();
    let within = if !written[&snake].is_null() {
        format!("/{snake}")
    } else if !written["settings"][&snake].is_null() {
        format!("/settings/{snake}")
    } else {
        return whole;
    };
    Place {
        pointer: whole.pointer + &within,
        names: Some((field.to_owned(), snake)),
    }
}

fn pointed<'a>(op: &'a Value, pointer: &str, index: usize) -> &'a Value {
    let within = pointer.strip_prefix(&format!("/ops/{index}"));
    within.and_then(|within| op.pointer(within)).unwrap_or(op)
}

/// Replaces names of tools by names of operations, because a plan cannot call tools.
fn in_words_of_the_plan(message: &str) -> String {
    let mut message = match message.strip_prefix("the ") {
        Some(rest) => format!("The {rest}"),
        None => message.to_owned(),
    };
    for (tool, op) in [
        ("replaceNodeHtml", "replace_content"),
        ("insertHtml", "add_node"),
        ("updateNodeProps", "update_props"),
        ("applyCss", "apply_css"),
        ("breakpointId", "breakpoint"),
        ("patch must", "props must"),
        ("parentId", "parent"),
        ("classId", "a class"),
        ("correct the call", "correct the operation"),
    ] {
        message = message.replace(tool, op);
    }
    message
}
