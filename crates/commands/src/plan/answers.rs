//! Answers to questions: only what stands on the site, never a guess.

use super::super::find::{Finder, Hit, What, fit, kind_word, normal};
use super::super::help;
use super::super::noun::{Many, Noun, Phrase};
use super::super::request::Question;
use super::super::site_view::Spot;
use super::{Outcome, Planner};

/// The most lines that a list has.
const LINES_MAX: usize = 60;

impl Planner<'_> {
    pub(super) fn answer(&self, question: &Question) -> Outcome {
        let told = Outcome::Told;
        match question {
            Question::Pages => told(self.list_of_pages()),
            Question::PageCount => told(format!("The site has {} pages.", self.view.pages().count())),
            Question::HomePage => {
                let home = self.view.pages().find(|(_, doc)| doc.is_home());
                told(home.map_or_else(|| "No page is the home page.".to_owned(), |(_, doc)| format!("The home page is “{}”.", doc.title)))
            }
            Question::Contents(what) => self.contents(what),
            Question::WhereIs(name) => told(self.where_is(name)),
            Question::PageAbout(name) => told(self.page_about(name)),
            Question::HaveKind(kind) => told(self.have_kind(kind)),
            Question::Colours => {
                let lines = self.view.colours.iter().filter(|colour| !colour.name.contains('-')).map(|colour| format!("{}: {}", colour.name, colour.value));
                told(lines.collect::<Vec<_>>().join("\n"))
            }
            Question::Fonts => told(self.view.fonts.iter().map(|font| format!("{}: {}", font.name, font.value)).collect::<Vec<_>>().join("\n")),
            Question::Radius => told(self.root_radius().map_or_else(|| "The site has no common radius.".to_owned(), |radius| format!("The radius is {radius}px."))),
            Question::Menu => told(self.menu_words()),
            Question::HeaderOrigin | Question::Template => told(self.template_words()),
            Question::Count(what) => self.listed(what, true),
            Question::ListOf(what) => self.listed(what, false),
            Question::LinksTo(page) => self.links_to(page),
            Question::TextOf(what) => self.listed(what, false),
            Question::PriceOf(what) => self.price_of(what),
            Question::AltOf(what) => self.alt_of(what),
            Question::NoAlt => told(self.no_alt()),
            Question::AddressOf(what) => match self.hit(&super::pages::pages(what), &[What::Page]) {
                Ok(hit) => told(format!("“{}” has the address {}.", self.title(hit), self.path(hit.spot.document))),
                Err(stopped) => stopped,
            },
            Question::Selected => told(self.selected.map_or_else(
                || "Nothing is selected.".to_owned(),
                |spot| format!("You have selected {}.", self.label(Hit { what: self.finder().what(spot), spot })),
            )),
            Question::LastChange => told(self.said.clone().unwrap_or_else(|| "I have changed nothing in this conversation.".to_owned())),
            Question::Live => told("What visitors see is not visible from here. The publish dialog shows what is live and what has changed since.".to_owned()),
            Question::Preview => told("The canvas shows the page as visitors will see it, and the widths above it show it on phones and tablets. Nothing is public until it is published.".to_owned()),
            Question::Save => told("Every change is saved as it is made. Saving is not publishing: say “publish” for that.".to_owned()),
            Question::Help | Question::HowTo => told(help::text()),
            Question::WhoAreYou => told("These are the built-in commands (no AI): fixed rules that understand a list of requests. Say “help” for the list.".to_owned()),
            Question::Greeting => told("Hello. Tell me what to change, or say “help” for what I can do.".to_owned()),
            Question::Thanks => told("Good. Say “undo” if it is not what you wanted.".to_owned()),
        }
    }

    fn list_of_pages(&self) -> String {
        let lines = self
            .view
            .pages()
            .map(|(_, doc)| format!("{}: {}", doc.title, doc.path.as_deref().unwrap_or_default()));
        lines.take(LINES_MAX).collect::<Vec<_>>().join("\n")
    }

    fn contents(&self, what: &Phrase) -> Outcome {
        let hits = self.finder().find(what);
        let hits = self
            .finder()
            .preferred(hits, &[What::Page, What::Section, What::Item]);
        let Some(hit) = hits.first() else {
            return self.nothing(what);
        };
        let doc = self.view.document(hit.spot);
        if hit.what != What::Page {
            let texts = self.texts_in(hit.spot);
            return Outcome::Told(texts.join("\n"));
        }
        let lines = doc.sections().into_iter().map(|at| {
            let spot = Spot {
                node: at,
                ..hit.spot
            };
            format!(
                "{}: {}",
                kind_word(&doc.kind_of(at)),
                self.texts_in(spot).join(" · ")
            )
        });
        Outcome::Told(format!(
            "“{}” has these sections:\n{}",
            doc.title,
            lines.collect::<Vec<_>>().join("\n")
        ))
    }

    fn texts_in(&self, spot: Spot) -> Vec<String> {
        let doc = self.view.document(spot);
        let inside = doc
            .walk(spot.node)
            .into_iter()
            .filter(|at| !doc.nodes[*at].tag.is_empty());
        inside
            .map(|at| doc.own_text(at))
            .filter(|text| !text.is_empty())
            .take(LINES_MAX)
            .collect()
    }

    fn where_is(&self, name: &str) -> String {
        let wanted = normal(name);
        let mut lines = Vec::new();
        for (document, doc) in self.view.documents.iter().enumerate() {
            for at in doc.elements() {
                let text = doc.own_text(at);
                let spot = Spot { document, node: at };
                let is_phone = wanted == "phone"
                    && text.chars().filter(char::is_ascii_digit).count() >= 7
                    && !text.chars().any(char::is_alphabetic);
                let about = wanted == "opening times" && fit("opening", &text) > 0;
                if !text.is_empty() && (normal(&text).contains(&wanted) || is_phone || about) {
                    lines.push(format!(
                        "“{text}” {} ({})",
                        self.finder().place(spot),
                        doc.title
                    ));
                }
            }
        }
        lines.truncate(LINES_MAX);
        if lines.is_empty() {
            format!("“{name}” is nowhere on the site.")
        } else {
            lines.join("\n")
        }
    }

    fn page_about(&self, name: &str) -> String {
        let pages = self.finder().pages(name);
        let titles: Vec<String> = pages
            .iter()
            .map(|hit| format!("“{}”", self.title(*hit)))
            .collect();
        if titles.is_empty() {
            format!(
                "No page is called “{name}”. On the site: {}",
                self.where_is(name)
            )
        } else {
            format!("Yes: {}.", titles.join(", "))
        }
    }

    fn have_kind(&self, kind: &str) -> String {
        let has = |at: &usize| {
            let doc = &self.view.documents[*at];
            doc.sections()
                .into_iter()
                .any(|section| doc.kind_of(section) == kind)
        };
        let titles: Vec<&str> = self
            .view
            .pages()
            .filter(|(at, _)| has(at))
            .map(|(_, doc)| doc.title.as_str())
            .collect();
        if titles.is_empty() {
            format!("No page has a {} section.", kind_word(kind))
        } else {
            format!("Yes, on {}.", titles.join(", "))
        }
    }

    fn menu_words(&self) -> String {
        let Some((_, links)) = self.view.menu() else {
            return "There is no menu.".to_owned();
        };
        let words = links.iter().map(|link| {
            format!(
                "{}: {}",
                self.finder().label(*link),
                self.view.node(*link).attr("href").unwrap_or_default()
            )
        });
        words.collect::<Vec<_>>().join("\n")
    }

    fn template_words(&self) -> String {
        match self.view.layout() {
            Some(at) => format!(
                "The header and the footer come from the template “{}”, which is around all pages.",
                self.view.documents[at].title
            ),
            None => "No template is around the pages.".to_owned(),
        }
    }

    fn listed(&self, what: &Phrase, is_count: bool) -> Outcome {
        let is_plural = what
            .said
            .to_lowercase()
            .split(' ')
            .any(|word| word.ends_with('s') && !matches!(word, "this" | "is" | "us"));
        let all = Phrase {
            many: if is_plural { Many::All } else { what.many },
            ..what.clone()
        };
        let mut hits = self.finder().find(&all);
        if what.noun == Some(Noun::Link) {
            hits.retain(|hit| !self.view.document(hit.spot).is_everywhere);
        }
        if hits.is_empty() {
            return if is_count {
                Outcome::Told("There are none.".to_owned())
            } else {
                self.nothing(what)
            };
        }
        if is_count {
            return Outcome::Told(format!("There are {}.", hits.len()));
        }
        let line = |hit: &Hit| {
            let address = self
                .view
                .node(hit.spot)
                .attr("href")
                .map(|href| format!(" → {href}"))
                .unwrap_or_default();
            format!(
                "{}{address} {}",
                self.finder().name(*hit),
                self.finder().place(hit.spot)
            )
        };
        Outcome::Told(
            hits.iter()
                .take(LINES_MAX)
                .map(line)
                .collect::<Vec<_>>()
                .join("\n"),
        )
    }

    fn links_to(&self, page: &Phrase) -> Outcome {
        let hit = match self.hit(&super::pages::pages(page), &[What::Page]) {
            Ok(hit) => hit,
            Err(stopped) => return stopped,
        };
        let path = self.path(hit.spot.document);
        let mut lines = Vec::new();
        for (document, doc) in self.view.documents.iter().enumerate() {
            for node in doc.elements() {
                let spot = Spot { document, node };
                if doc.nodes[node].attr("href") == Some(&path) {
                    lines.push(format!(
                        "“{}” {}",
                        doc.text(node),
                        self.finder().place(spot)
                    ));
                }
            }
        }
        Outcome::Told(if lines.is_empty() {
            format!("Nothing leads to {path}.")
        } else {
            lines.join("\n")
        })
    }

    fn price_of(&self, what: &Phrase) -> Outcome {
        let item = Phrase {
            noun: Some(Noun::Item("pricing")),
            ..what.clone()
        };
        for (at, _) in self.view.pages() {
            let there = Finder {
                here: at,
                ..self.finder()
            };
            for hit in there.find(&item) {
                let doc = self.view.document(hit.spot);
                let price = doc
                    .walk(hit.spot.node)
                    .into_iter()
                    .find(|at| doc.nodes[*at].classes().any(|class| class == "price"));
                if let Some(price) = price {
                    return Outcome::Told(format!(
                        "“{}” costs {}.",
                        there.label(hit.spot),
                        doc.text(price)
                    ));
                }
            }
        }
        self.nothing(what)
    }

    fn alt_of(&self, what: &Phrase) -> Outcome {
        match self.hit(what, &[What::Image]) {
            Ok(hit) => {
                let alt = self.view.node(hit.spot).attr("alt").unwrap_or_default();
                let name = self.finder().name(hit);
                Outcome::Told(if alt.is_empty() {
                    format!("{name} has no alt text.")
                } else {
                    format!("The alt text of {name} is “{alt}”.")
                })
            }
            Err(stopped) => stopped,
        }
    }

    fn no_alt(&self) -> String {
        let mut lines = Vec::new();
        for (document, doc) in self.view.documents.iter().enumerate() {
            for node in doc.elements() {
                let is_bare = doc.nodes[node].tag == "img"
                    && doc.nodes[node].attr("alt").unwrap_or_default().is_empty();
                if is_bare {
                    let spot = Spot { document, node };
                    lines.push(format!(
                        "{} {}",
                        doc.nodes[node].attr("src").unwrap_or_default(),
                        self.finder().place(spot)
                    ));
                }
            }
        }
        if lines.is_empty() {
            "Every picture has an alt text.".to_owned()
        } else {
            lines.join("\n")
        }
    }
}
