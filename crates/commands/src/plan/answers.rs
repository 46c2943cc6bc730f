//! Answers to questions: only from what is on the site, never a guess.

use super::super::draft::{Document, Spot};
use super::super::find::{Hit, What, kind_word, normal, preferred};
use super::super::help;
use super::super::noun::{Many, Noun, Phrase};
use super::super::request::Question;
use super::super::say;
use super::pages::as_page;
use super::{Outcome, PlanResult, Planner};

/// The maximum number of lines in a list.
const LINES_MAX: usize = 60;

fn lines(all: impl IntoIterator<Item = String>, or: &str) -> String {
    let lines: Vec<String> = all.into_iter().take(LINES_MAX).collect();
    if lines.is_empty() {
        or.to_owned()
    } else {
        lines.join("\n")
    }
}

impl Planner<'_> {
    pub(super) fn answer(&self, question: &Question) -> PlanResult<Outcome> {
        let words = match question {
            Question::Contents(what) => self.contents(what)?,
            Question::WhereIs(name) => self.where_is(name),
            Question::PageAbout(name) => self.page_about(name),
            Question::HaveKind(kind) => self.have_kind(kind),
            Question::Count(what) => match self.all_of(what).len() {
                0 => "There are none.".to_owned(),
                count => format!("There are {count}."),
            },
            Question::ListOf(what) => self.list(what)?,
            Question::LinksTo(page) => self.links_to(page)?,
            Question::PriceOf(what) => self.price_of(what)?,
            Question::AltOf(what) => self.alt_of(what)?,
            Question::AddressOf(what) => {
                let hit = self.hit(&as_page(what), &[What::Page])?;
                let doc = self.doc(hit.spot.body);
                format!("“{}” has the address {}.", doc.title(), doc.path())
            }
            Question::Selected => match self.selected {
                Some(spot) => {
                    let label = self.label(self.finder().hit(spot));
                    format!("You have selected {label}.")
                }
                None => "Nothing is selected.".to_owned(),
            },
            Question::LastChange => match &self.said {
                Some(said) => said.clone(),
                None => "I haven’t changed anything in this conversation.".to_owned(),
            },
            Question::Help => help::text(),
            Question::Fact(fact) => say::fact(*fact).to_owned(),
            Question::Pages
            | Question::PageCount
            | Question::HomePage
            | Question::Colours
            | Question::Fonts
            | Question::Radius
            | Question::Menu
            | Question::Template
            | Question::NoAlt => self.about_site(question),
        };
        Ok(Outcome::Told(words))
    }

    /// Answers a question about the site as a whole.
    fn about_site(&self, question: &Question) -> String {
        let tokens = self.draft.site.tokens();
        match question {
            Question::Pages => {
                let pages = self.draft.pages();
                let pages = pages.map(|doc| format!("{}: {}", doc.title(), doc.path()));
                lines(pages, "The site has no pages.")
            }
            Question::PageCount => format!("The site has {} pages.", self.draft.pages().count()),
            Question::HomePage => match self.draft.pages().find(Document::is_home) {
                Some(home) => format!("The home page is “{}”.", home.title()),
                None => "No page is the home page.".to_owned(),
            },
            Question::Colours => {
                let colours = tokens.colors.iter();
                let colours = colours.map(|one| format!("{}: {}", one.slug, one.light_value));
                lines(colours, "The site has no colours of its own.")
            }
            Question::Fonts => {
                let fonts = tokens.fonts.iter();
                let fonts = fonts.map(|font| format!("{}: {}", font.name, font.value()));
                lines(fonts, "The site has no fonts of its own.")
            }
            Question::Radius => match self.root_radius() {
                Some(radius) => format!("The radius is {radius}px."),
                None => "The site has no common radius.".to_owned(),
            },
            Question::NoAlt => {
                let is_bare =
                    |doc: Document<'_>, at| doc.tag(at) == "img" && doc.attr(at, "alt").is_empty();
                let bare = self.elements(is_bare).map(|(doc, spot)| {
                    let source = doc.attr(spot.node, "src");
                    format!("{source} {}", self.finder().place(spot))
                });
                lines(bare, "Every picture has alt text.")
            }
            Question::Menu => self.menu_words(),
            _ => match self.draft.layout() {
                Some(layout) => format!(
                    "The header and footer come from the template “{}”, which all pages use.",
                    layout.title()
                ),
                None => "The pages have no template.".to_owned(),
            },
        }
    }

    /// The elements of all documents that satisfy a condition.
    fn elements<'s>(
        &'s self,
        fits: impl Fn(Document<'s>, sitewright_site::NodeId) -> bool + 's,
    ) -> impl Iterator<Item = (Document<'s>, Spot)> {
        let docs = self.draft.documents();
        let all = docs.flat_map(|doc| {
            doc.elements()
                .into_iter()
                .map(move |at| (doc, doc.spot(at)))
        });
        all.filter(move |(doc, spot)| fits(*doc, spot.node))
    }

    fn contents(&self, what: &Phrase) -> PlanResult<String> {
        let order = [What::Page, What::Section, What::Item];
        let hits = preferred(self.finder().find(what), &order);
        let hit = hits.first().ok_or_else(|| self.not_found(what))?;
        let doc = self.doc(hit.spot.body);
        let texts = |at| -> Vec<String> {
            let worded = doc.text_elements(at).into_iter().take(LINES_MAX);
            worded.map(|at| doc.own_text(at)).collect()
        };
        if hit.what != What::Page {
            return Ok(texts(hit.spot.node).join("\n"));
        }
        let sections = doc.sections().into_iter();
        let sections = sections.map(|at| {
            let kind = kind_word(doc.kind_of(at));
            format!("{kind}: {}", texts(at).join(" · "))
        });
        Ok(format!(
            "“{}” has these sections:\n{}",
            doc.title(),
            lines(sections, "none")
        ))
    }

    fn where_is(&self, name: &str) -> String {
        let wanted = normal(name);
        let places = |fits: &dyn Fn(&str) -> bool| -> Vec<String> {
            let found = self.elements(|doc, at| fits(&doc.own_text(at)));
            let lines = found.map(|(doc, spot)| {
                let (text, place) = (doc.own_text(spot.node), self.finder().place(spot));
                format!("“{text}” {place} ({})", doc.title())
            });
            lines.collect()
        };
        let is_phone = |text: &str| {
            wanted == "phone"
                && text.chars().filter(char::is_ascii_digit).count() >= 7
                && !text.chars().any(char::is_alphabetic)
        };
        let mut found = places(&|text| normal(text).contains(&wanted) || is_phone(text));
        if found.is_empty() {
            // People do not remember every word: "opening times" is found in “Opening hours”.
            let long = |word: &&str| word.len() >= 5;
            let holds = |text: &str, word: &str| normal(text).split(' ').any(|own| own == word);
            found = places(&|text| wanted.split(' ').filter(long).any(|word| holds(text, word)));
        }
        lines(found, &format!("“{name}” is nowhere on the site."))
    }

    fn page_about(&self, name: &str) -> String {
        let pages = self.finder().pages(name).into_iter();
        let titles: Vec<String> = pages.map(|hit| format!("“{}”", self.title(hit))).collect();
        if titles.is_empty() {
            let elsewhere = self.where_is(name);
            return format!("No page is called “{name}”. On the site: {elsewhere}");
        }
        format!("Yes: {}.", titles.join(", "))
    }

    fn have_kind(&self, kind: &str) -> String {
        let has = |doc: &Document<'_>| {
            let sections = doc.sections();
            sections.iter().any(|at| doc.kind_of(*at) == kind)
        };
        let pages = self.draft.pages().filter(has);
        let titles: Vec<&str> = pages.map(|doc| doc.title()).collect();
        if titles.is_empty() {
            return format!("No page has a {} section.", kind_word(kind));
        }
        format!("Yes, on {}.", titles.join(", "))
    }

    fn menu_words(&self) -> String {
        let Some((list, links)) = self.draft.menu() else {
            return "There is no menu.".to_owned();
        };
        let doc = self.doc(list.body);
        let words = links.iter().map(|link| {
            let label = self.finder().label(*link);
            format!("{label}: {}", doc.attr(link.node, "href"))
        });
        lines(words, "The menu is empty.")
    }

    /// Everything that a question is about: several things when it is asked in the plural.
    fn all_of(&self, what: &Phrase) -> Vec<Hit> {
        let mut all = what.clone();
        let said = what.said.to_lowercase();
        let mut words = said.split(' ');
        if words.any(|word| word.ends_with('s') && !matches!(word, "this" | "is" | "us")) {
            all.many = Many::All;
        }
        let mut hits = self.finder().find(&all);
        if what.noun == Some(Noun::Link) {
            hits.retain(|hit| !self.doc(hit.spot.body).is_layout());
        }
        hits
    }

    fn list(&self, what: &Phrase) -> PlanResult<String> {
        let hits = self.all_of(what);
        if hits.is_empty() {
            return Err(self.not_found(what));
        }
        let line = |hit: Hit| {
            let href = self.doc(hit.spot.body).attr(hit.spot.node, "href");
            let leads = match href.as_str() {
                "" => String::new(),
                href => format!(" → {href}"),
            };
            let finder = self.finder();
            format!("{}{leads} {}", finder.name(hit), finder.place(hit.spot))
        };
        Ok(lines(hits.into_iter().map(line), ""))
    }

    fn links_to(&self, page: &Phrase) -> PlanResult<String> {
        let hit = self.hit(&as_page(page), &[What::Page])?;
        let path = self.doc(hit.spot.body).path();
        let links = self.elements(|doc, at| doc.attr(at, "href") == path);
        let links = links.map(|(doc, spot)| {
            let place = self.finder().place(spot);
            format!("“{}” {place}", doc.text(spot.node))
        });
        Ok(lines(links, &format!("Nothing links to {path}.")))
    }

    fn price_of(&self, what: &Phrase) -> PlanResult<String> {
        let item = Phrase {
            noun: Some(Noun::Item("pricing")),
            ..what.clone()
        };
        for doc in self.draft.pages() {
            let there = self.finder().on(doc.body);
            for hit in there.find(&item) {
                let mut inside = doc.walk(hit.spot.node).into_iter();
                let price = inside.find(|at| doc.has_class(*at, |class| class == "price"));
                if let Some(price) = price {
                    let label = there.label(hit.spot);
                    return Ok(format!("“{label}” costs {}.", doc.text(price)));
                }
            }
        }
        Err(self.not_found(what))
    }

    fn alt_of(&self, what: &Phrase) -> PlanResult<String> {
        let hit = self.hit(what, &[What::Image])?;
        let name = self.finder().name(hit);
        Ok(match self.doc(hit.spot.body).attr(hit.spot.node, "alt") {
            alt if alt.is_empty() => format!("{name} has no alt text."),
            alt => format!("The alt text of {name} is “{alt}”."),
        })
    }
}
