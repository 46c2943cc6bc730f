//! Things by the kind that was said: headings, texts, pictures, items, what is in the template.

use super::super::noun::{Many, Noun, Phrase};
use super::super::site_view::Spot;
use super::{Finder, Hit, Scope, What, fit, normal};

impl Finder<'_> {
    /// Whether the text of an element is of a kind: a price, a phone number, an address.
    pub(super) fn says(&self, hit: Hit, noun: Noun) -> bool {
        let node = self.view.node(hit.spot);
        let text = self.own(hit);
        match noun {
            Noun::Person => node.tag == "cite",
            Noun::Price => node.classes().any(|class| class == "price"),
            Noun::Phone => self.is_leaf(hit) && is_phone(&text),
            Noun::Email => self.is_leaf(hit) && text.contains('@'),
            Noun::Address => self.is_leaf(hit) && is_street(&text),
            _ => self.is_leaf(hit) && text.contains('©'),
        }
    }

    /// Items of a kind of section, or of any when none is of it or a name says which.
    pub(super) fn items(&self, items: Vec<Hit>, kind: &str, said: &Phrase) -> Vec<Hit> {
        let of_kind = |hit: &&Hit| self.kind_around(hit.spot) == kind;
        let in_kind: Vec<Hit> = items.iter().filter(of_kind).copied().collect();
        let is_any = in_kind.is_empty() || said.name.is_some();
        self.named(if is_any { items } else { in_kind }, said)
    }

    pub(super) fn own(&self, hit: Hit) -> String {
        self.doc(hit.spot.document).own_text(hit.spot.node)
    }

    pub(super) fn is_leaf(&self, hit: Hit) -> bool {
        !matches!(hit.what, What::Section | What::Page)
    }

    pub(super) fn kind_around(&self, spot: Spot) -> String {
        let doc = self.doc(spot.document);
        let section = doc.section_of(spot.node);
        section
            .map(|section| doc.kind_of(section))
            .unwrap_or_default()
    }

    pub(super) fn page_like(&self, noun: Noun, said: &Phrase) -> Vec<Hit> {
        let hit = |document| Hit {
            what: What::Page,
            spot: Spot { document, node: 0 },
        };
        match (noun, &said.name) {
            (Noun::Home, _) => self
                .view
                .pages()
                .filter(|(_, doc)| doc.is_home())
                .map(|(at, _)| hit(at))
                .collect(),
            (Noun::Layout, _) => self.view.layout().map(hit).into_iter().collect(),
            (_, Some(name)) => self.pages(name),
            (_, None) if said.points => {
                let spoken: Vec<Hit> = self
                    .spoken
                    .hits
                    .iter()
                    .copied()
                    .filter(|hit| hit.what == What::Page)
                    .collect();
                if spoken.is_empty() || said.said.to_lowercase().starts_with("this") {
                    vec![hit(self.here)]
                } else {
                    spoken
                }
            }
            (_, None) if said.many == Many::All => {
                self.view.pages().map(|(at, _)| hit(at)).collect()
            }
            (_, None) => vec![hit(self.here)],
        }
    }

    pub(super) fn layout_sections(&self) -> Vec<Hit> {
        let documents = self.view.layout().into_iter();
        let spots = documents.flat_map(|document| {
            let sections = self.doc(document).sections().into_iter();
            sections.map(move |node| Spot { document, node })
        });
        spots
            .map(|spot| Hit {
                what: What::Section,
                spot,
            })
            .collect()
    }

    pub(super) fn menu_items(&self) -> Vec<Hit> {
        let links = self.view.menu().map(|(_, links)| links).unwrap_or_default();
        links
            .into_iter()
            .map(|spot| Hit {
                what: What::MenuItem,
                spot,
            })
            .collect()
    }

    pub(super) fn logo(&self) -> Vec<Hit> {
        let sections = self.layout_sections().into_iter();
        let found = sections.flat_map(|hit| {
            let doc = self.doc(hit.spot.document);
            let mut within = doc.walk(hit.spot.node).into_iter();
            let image = within.find(|at| doc.nodes[*at].tag == "img");
            image.map(|node| Spot {
                document: hit.spot.document,
                node,
            })
        });
        found
            .map(|spot| Hit {
                what: What::Image,
                spot,
            })
            .take(1)
            .collect()
    }

    pub(super) fn headings(
        &self,
        all: Vec<Hit>,
        level: Option<u8>,
        said: &Phrase,
        scope: &Scope,
    ) -> Vec<Hit> {
        let of_level = |hit: &Hit| {
            level.is_none_or(|level| self.view.node(hit.spot).tag == format!("h{level}"))
        };
        let all: Vec<Hit> = all.into_iter().filter(of_level).collect();
        if said.name.is_some() {
            let found = self.named(all, said);
            if !found.is_empty() {
                return found;
            }
            // "the opening hours heading" is the heading of that section or card.
            let around = Phrase {
                noun: None,
                ..said.clone()
            };
            let around = self.by_name(&around, scope);
            let around = around
                .into_iter()
                .filter(|hit| matches!(hit.what, What::Section | What::Item));
            return around.filter_map(|hit| self.heading_of(hit.spot)).collect();
        }
        if said.many != Many::One || said.ordinal.is_some() {
            return all;
        }
        // The heading of a page or a section is its first, which is its largest.
        if let Some(first) = all.iter().find(|hit| self.view.node(hit.spot).tag == "h1") {
            return vec![*first];
        }
        all.into_iter().take(1).collect()
    }

    pub(crate) fn heading_of(&self, spot: Spot) -> Option<Hit> {
        let node = self.section_heading(spot)?;
        let spot = Spot { node, ..spot };
        Some(Hit {
            what: What::Heading,
            spot,
        })
    }

    pub(super) fn texts(&self, said: &Phrase, scope: &Scope) -> Vec<Hit> {
        let all = scope.spots.iter().map(|spot| Hit {
            what: self.what(*spot),
            spot: *spot,
        });
        let texts: Vec<Hit> = all
            .filter(|hit| {
                hit.what == What::Text
                    && self.view.node(hit.spot).tag == "p"
                    && self.kind_around(hit.spot) != "footer"
                    || hit.what == What::Text
                        && scope.is_narrow
                        && self.view.node(hit.spot).tag == "p"
            })
            .collect();
        if said.name.is_none() {
            return texts;
        }
        let found = self.named(texts, said);
        if !found.is_empty() {
            return found;
        }
        let around = Phrase {
            noun: None,
            ..said.clone()
        };
        let around = self.by_name(&around, scope);
        let around: Vec<Hit> = around
            .into_iter()
            .filter(|hit| matches!(hit.what, What::Section | What::Item))
            .collect();
        around
            .into_iter()
            .flat_map(|hit| self.paragraphs_in(hit.spot))
            .collect()
    }

    pub(crate) fn paragraphs_in(&self, spot: Spot) -> Vec<Hit> {
        let doc = self.doc(spot.document);
        let within = doc.walk(spot.node).into_iter();
        let found = within.filter(|at| doc.nodes[*at].tag == "p");
        found
            .map(|node| Hit {
                what: What::Text,
                spot: Spot { node, ..spot },
            })
            .collect()
    }

    pub(super) fn answers(&self, said: &Phrase, scope: &Scope) -> Vec<Hit> {
        let items = scope.spots.iter().map(|spot| Hit {
            what: self.what(*spot),
            spot: *spot,
        });
        let items: Vec<Hit> = items.filter(|hit| hit.what == What::Item).collect();
        let items = self.named(items, said);
        items
            .into_iter()
            .flat_map(|hit| self.paragraphs_in(hit.spot))
            .collect()
    }

    pub(super) fn images(&self, all: Vec<Hit>, said: &Phrase) -> Vec<Hit> {
        let Some(name) = &said.name else { return all };
        let wanted = normal(name);
        let fits = |hit: &Hit| {
            let node = self.view.node(hit.spot);
            let source = normal(
                &node
                    .attr("src")
                    .unwrap_or_default()
                    .replace(['-', '_', '/', '.'], " "),
            );
            let alt = node.attr("alt").unwrap_or_default();
            wanted
                .split(' ')
                .all(|word| source.split(' ').any(|part| part == word))
                || fit(name, alt) > 0
        };
        all.into_iter().filter(fits).collect()
    }
}

fn is_phone(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let is_plain = text
        .chars()
        .all(|c| c.is_ascii_digit() || " +-()/.".contains(c));
    digits >= 6 && is_plain
}

fn is_street(text: &str) -> bool {
    let streets = [
        "lane", "street", "road", "avenue", "square", "way", "st", "rd",
    ];
    let plain = normal(text);
    let starts = plain.starts_with(|c: char| c.is_ascii_digit());
    starts && plain.split(' ').any(|word| streets.contains(&word))
}
