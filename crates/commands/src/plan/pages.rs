//! Plans pages and their settings.

use super::super::call::{Call, PageSetting, SiteSetting};
use super::super::draft::{Document, escape_html};
use super::super::find::{What, fit, kind_word, page_hit, preferred};
use super::super::noun::{Noun, Phrase};
use super::super::request::{LANDING_NAME, MissingPart, NewPage};
use super::super::say;
use super::super::sections::KnownTexts;
use super::adding::{Gap, PLACEHOLDERS};
use super::{Outcome, PlanResult, Planner, ask, done, refuse};
use sitewright_site::BodyId;

/// How the question about a name that is taken ends; the next message may answer it.
pub(crate) const NAME_TAKEN: &str =
    ". Should I open it, or add another one under a different name?";

/// The name that a site has until its owner gives it one.
const UNNAMED_SITE: &str = "My site";

impl Planner<'_> {
    pub(super) fn add_page(&mut self, page: &NewPage) -> PlanResult<Outcome> {
        let Some(names) = &page.name else {
            return match self.empty_page(None, page) {
                Some(body) => done(self.build_on(body, page)),
                None => self.missing(MissingPart::Page),
            };
        };
        let mut words = Vec::new();
        for name in names.split('\n') {
            words.push(self.add_one_page(name, page)?);
        }
        done(words.join(" "))
    }

    /// An existing empty page to use instead of a new one: the page of this name, or the current page when the new one has no
    /// name of its own.
    fn empty_page(&self, name: Option<&str>, page: &NewPage) -> Option<BodyId> {
        let meant = match name {
            Some(name) if !page.is_described => self.document_called(name)?,
            _ => self.doc(self.here),
        };
        let is_plain = !page.sections.is_empty() && page.slug.is_none() && page.under.is_none();
        let is_empty = meant.is_page() && meant.root().is_some() && meant.sections().is_empty();
        (is_plain && is_empty).then_some(meant.body)
    }

    fn document_called(&self, name: &str) -> Option<Document<'_>> {
        let mut documents = self.draft.documents();
        documents.find(|doc| fit(name, doc.title()) == 3)
    }

    /// Adds new sections at the end of a page, and returns a short text about what was done.
    fn fill(&mut self, body: BodyId, page: &NewPage) -> String {
        let kinds = &page.sections;
        let layout = self.draft.layout().map(|doc| doc.title().to_owned());
        let is_around = |kind: &&&str| layout.is_some() && matches!(**kind, "header" | "footer");
        let (around, made): (Vec<&&str>, Vec<&&str>) = kinds.iter().partition(is_around);
        for kind in &made {
            let doc = self.doc(body);
            let Some(parent) = doc.root_spot() else { break };
            let index = match **kind {
                "header" => 0,
                _ => doc.children(parent.node).len(),
            };
            let known = match **kind {
                "hero" if !doc.has_main_heading() => self.headline(doc, page),
                _ => KnownTexts::default(),
            };
            self.insert_section(kind, known, Gap { parent, index });
        }
        let words = |kinds: &[&&str]| {
            let words = kinds.iter().map(|kind| kind_word(kind).to_owned());
            say::join_words(&words.collect::<Vec<_>>())
        };
        let mut told = format!("{}. {PLACEHOLDERS}", words(&made));
        if let (Some(layout), false) = (layout, around.is_empty()) {
            let verb = if around.len() == 1 { "comes" } else { "come" };
            let around = words(&around);
            told.push_str(&format!(
                " The {around} {verb} from the template “{layout}”, as on every page."
            ));
        }
        told
    }

    /// The texts of the hero that the request and the site know: "for a bakery" and the name of the site. The latter is the heading
    /// of the home page only.
    fn headline(&self, doc: Document<'_>, page: &NewPage) -> KnownTexts {
        let is_known = |name: &String| page.is_described && name != LANDING_NAME;
        let subject = page.name.clone().filter(is_known);
        let site = Some(self.draft.site.shell.settings.name.clone());
        let site = site.filter(|name| subject.is_some() && name != UNNAMED_SITE);
        let (title, eyebrow) = match doc.is_home() && site.is_some() {
            true => (site, subject),
            false => (subject, site),
        };
        KnownTexts { title, eyebrow }
    }

    fn build_on(&mut self, body: BodyId, page: &NewPage) -> String {
        self.recent = page_hit(self.doc(body)).into_iter().collect();
        let told = self.fill(body, page);
        let title = self.doc(body).title();
        format!("Built on the empty page “{title}”: {told}")
    }

    fn add_one_page(&mut self, name: &str, page: &NewPage) -> PlanResult<String> {
        if let Some(body) = self.empty_page(Some(name), page) {
            return Ok(self.build_on(body, page));
        }
        if let Some(same) = self.document_called(name) {
            return ask(format!(
                "There’s already a page “{}”{NAME_TAKEN}",
                same.title()
            ));
        }
        let parent = page.under.as_ref();
        let parent = parent.map(|under| self.hit(&as_page(under), &[What::Page]));
        let parent = parent.transpose()?;
        let made = self.call(Call::AddPage {
            title: name.to_owned(),
            slug: page.slug.clone(),
        });
        let Some(body) = made["pageId"].as_str().and_then(|id| id.parse().ok()) else {
            return refuse(format!("I can’t create a page called “{name}”."));
        };
        if let Some(parent) = parent {
            self.set_page(body, PageSetting::ParentId(parent.spot.body));
        }
        let doc = self.doc(body);
        let (path, root) = (doc.path(), doc.root_spot());
        self.recent = page_hit(doc).into_iter().collect();
        if !page.sections.is_empty() {
            let told = self.fill(body, page);
            return Ok(format!("Added the page “{name}” at {path}: {told}"));
        }
        if let Some(root) = root {
            let heading = escape_html(name);
            let html = format!("<section class=\"text\"><h1>{heading}</h1></section>");
            self.insert(root, 0, &html);
        }
        Ok(format!("Added the page “{name}” at {path}."))
    }

    fn set_page(&mut self, page_id: BodyId, setting: PageSetting) {
        self.call(Call::UpdatePageSettings { page_id, setting });
    }

    pub(super) fn rename(&mut self, what: &Phrase, to: &str) -> PlanResult<Outcome> {
        let hits = self.finder().find(what);
        let is_page = !preferred(hits.clone(), &[What::Page]).is_empty()
            && matches!(what.noun, None | Some(Noun::Page | Noun::Home));
        if !is_page && !hits.is_empty() {
            return self.text(what, to);
        }
        let page = match what.noun {
            None if !what.is_pronoun => Phrase {
                noun: Some(Noun::Page),
                ..what.clone()
            },
            _ => what.clone(),
        };
        let hit = self.hit(&page, &[What::Page])?;
        if hit.what != What::Page {
            return self.text(what, to);
        }
        let old = self.title(hit);
        self.call(Call::RenamePage {
            page_id: hit.spot.body,
            title: to.to_owned(),
        });
        self.recent = vec![hit];
        let path = self.doc(hit.spot.body).path();
        done(format!(
            "Renamed the page “{old}” to “{to}”. Its address is still {path}."
        ))
    }

    pub(super) fn page_setting(
        &mut self,
        what: &Phrase,
        setting: &PageSetting,
    ) -> PlanResult<Outcome> {
        let hit = self.hit(&as_page(what), &[What::Page])?;
        let doc = self.doc(hit.spot.body);
        let title = doc.title();
        if !doc.is_page() {
            return refuse(format!(
                "“{title}” is a template and doesn’t have this setting."
            ));
        }
        let words = match setting {
            PageSetting::Slug(slug) => {
                let path = format!("/{slug}");
                let mut others = self.draft.pages().filter(|other| other.body != doc.body);
                if let Some(other) = others.find(|other| other.path() == path) {
                    return refuse(format!(
                        "I can’t use {path}: the page “{}” already has this address.",
                        other.title()
                    ));
                }
                format!("“{title}” is now at {path}. Links to it were updated.")
            }
            PageSetting::Description(_) => format!("Set the description of “{title}”."),
            PageSetting::Draft(_) => {
                format!("“{title}” is now a draft and won’t be published.")
            }
            PageSetting::NoIndex(_) => {
                format!("“{title}” is now hidden from search engines.")
            }
            PageSetting::ParentId(parent) => {
                format!("“{title}” is now under “{}”.", self.doc(*parent).title())
            }
        };
        self.set_page(hit.spot.body, setting.clone());
        self.recent = vec![hit];
        done(words)
    }

    pub(super) fn parent(&mut self, what: &Phrase, under: &Phrase) -> PlanResult<Outcome> {
        let parent = self.hit(&as_page(under), &[What::Page])?;
        self.page_setting(what, &PageSetting::ParentId(parent.spot.body))
    }

    pub(super) fn home(&mut self, what: &Phrase) -> PlanResult<Outcome> {
        let hit = self.hit(&as_page(what), &[What::Page])?;
        let title = self.title(hit);
        if self.doc(hit.spot.body).is_home() {
            return Ok(Outcome::Told(format!(
                "“{title}” is already the home page."
            )));
        }
        self.set_page(hit.spot.body, PageSetting::Slug("index".to_owned()));
        done(format!(
            "“{title}” is now the home page. The previous one moved to /home."
        ))
    }

    pub(super) fn site_setting(&mut self, setting: &SiteSetting) -> PlanResult<Outcome> {
        let words = match setting {
            SiteSetting::Name(name) => format!("The site is now called “{name}”."),
            SiteSetting::Language(language) => {
                format!("The site language is now {language}.")
            }
            SiteSetting::Favicon(address) => format!("The favicon is now {address}."),
            SiteSetting::DiscourageSearchEngines(_) => {
                "The whole site is now hidden from search engines.".to_owned()
            }
        };
        self.call(Call::UpdateSiteSettings(setting.clone()));
        done(words)
    }

    pub(super) fn open(&mut self, what: &Phrase) -> PlanResult<Outcome> {
        let hit = self.hit(&as_page(what), &[What::Page])?;
        let document = self.doc(hit.spot.body).reference();
        self.call(Call::OpenDocument { document });
        done(format!("Opened “{}”.", self.title(hit)))
    }
}

/// The phrase as a page, unless it names another kind.
pub(super) fn as_page(what: &Phrase) -> Phrase {
    let mut page = what.clone();
    if what.is_pronoun && what.said.to_lowercase().starts_with("this") {
        page.is_pronoun = false;
        page.points = true;
    }
    if !page.is_pronoun && (page.noun.is_none() || what.is_pronoun) {
        page.noun = Some(Noun::Page);
    }
    page
}
