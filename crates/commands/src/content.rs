//! Requests about posts, entries and menus. Entries are in rows, which the copy of the site does not have, so a request looks up what it
//! is about with one call and acts with the next. Where it stands follows from the calls that were made since the message.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use sitewright_llm::{ToolCall, ToolResult};
use sitewright_site::{FieldKind, Site};

use super::Situation;
use super::find::normal;
use super::grammar::{ContentMessage, ContentRequest, Day, parse_content};
use super::help;
use super::request::Request;
use super::say;
use super::turn::{CallRecord, Next};

/// The hour at which a post goes live on the day that was named, in UTC.
const HOUR: i8 = 9;
/// The most posts that are listed.
const LISTED_MAX: usize = 20;

/// Whether the turn is one of the content workspace.
pub(super) fn is_offered(situation: &Situation) -> bool {
    situation.tools.iter().any(|tool| tool == "getPost")
}

/// What the commands do next about a message.
pub(super) fn next(
    sentence: &str,
    since: &[CallRecord<'_>],
    situation: &Situation,
    site: &Site,
) -> Next {
    let request = match parse_content(sentence) {
        ContentMessage::Request(request) => request,
        ContentMessage::Other(other) => return Next::Say(reason(*other)),
        ContentMessage::Unknown => {
            let short: String = sentence.trim().chars().take(80).collect();
            return Next::Say(format!(
                "I didn’t understand “{short}”, so I changed nothing. Say “help” for what I can do."
            ));
        }
    };
    let turn = ContentTurn {
        since,
        situation,
        site,
    };
    match turn.planned(&request) {
        Ok(next) => next,
        Err(words) => Next::Say(words),
    }
}

fn reason(request: Request) -> String {
    match request {
        Request::Ignore(reason) => say::ignore_words(reason).to_owned(),
        Request::NeedsProvider(what) => format!("“{what}”: {}", say::PROVIDER),
        Request::Cannot(super::request::Limit::Language(words)) => words.to_owned(),
        _ => say::ignore_words(super::request::Reason::Unclear).to_owned(),
    }
}

/// Where a request stands.
struct ContentTurn<'t> {
    /// The calls since the message.
    since: &'t [CallRecord<'t>],
    situation: &'t Situation,
    site: &'t Site,
}

/// A post that a lookup found.
struct Post {
    id: String,
    title: String,
    /// With its collection, as tools take it where a slug is not unique.
    slug: String,
}

/// The next step; the error is what to say instead.
type Step<T> = Result<T, String>;

impl ContentTurn<'_> {
    fn planned(&self, request: &ContentRequest) -> Step<Next> {
        match request {
            ContentRequest::NewPost { title } => self.new_post(title),
            ContentRequest::NewEntry { title, collection } => self.new_entry(title, collection),
            ContentRequest::Publish { post, day } => self.publish(post, day.as_ref()),
            ContentRequest::Archive { post } => {
                let Some(post) = self.post(post)? else {
                    return Ok(self.look_up(post));
                };
                let input = json!({ "slug": post.slug, "status": "archived" });
                let words = format!("Unpublished the post “{}”.", post.title);
                Ok(self.act("updatePost", input, &words))
            }
            ContentRequest::Delete { post } => {
                let Some(post) = self.post(post)? else {
                    return Ok(self.look_up(post));
                };
                let input = json!({ "slugs": [post.slug], "confirmed": true });
                let title = &post.title;
                let words = format!("Deleted the post “{title}”. You can restore it for 30 days.");
                Ok(self.act("deletePost", input, &words))
            }
            ContentRequest::AddToMenu { what, menu } => self.add_to_menu(what, menu.as_deref()),
            ContentRequest::ListPosts => Ok(self.list_posts()),
            ContentRequest::Help => Err(help::content_text()),
        }
    }

    fn new_post(&self, title: &str) -> Step<Next> {
        let mut collections = self.site.collections();
        let found = collections.find(|(_, collection)| collection.route_base.is_some());
        let Some((_, collection)) = found else {
            return Err(
                "I can’t write posts, because no collection has pages. Add one under Content > Collections."
                    .to_owned(),
            );
        };
        let has_body = collection.field("body");
        let has_body = has_body.is_some_and(|field| matches!(field.kind, FieldKind::RichText));
        let content = match has_body {
            true => json!({ "body": format!("[Write about “{title}” here.]") }),
            false => json!({}),
        };
        let input = json!({
            "collectionSlug": collection.slug, "slug": slug(title), "title": title, "content": content,
        });
        let words = format!(
            "Started the draft “{title}” in {}. Text in square brackets is a placeholder; replace it before you publish.",
            collection.label
        );
        Ok(self.act("createPost", input, &words))
    }

    fn new_entry(&self, title: &str, named: &str) -> Step<Next> {
        let wanted = normal(named);
        let mut collections = self.site.collections();
        let found = collections.find(|(_, collection)| {
            normal(&collection.slug) == wanted || normal(&collection.label) == wanted
        });
        let Some((id, collection)) = found else {
            let labels = self
                .site
                .collections()
                .map(|(_, found)| found.label.clone());
            let labels: Vec<String> = labels.collect();
            return Err(format!(
                "There is no collection “{named}”. There are {}.",
                labels.join(", ")
            ));
        };
        let input = json!({ "collectionId": id, "slug": slug(title), "title": title });
        let words = format!("Added the draft “{title}” to {}.", collection.label);
        Ok(self.act("createEntry", input, &words))
    }

    fn publish(&self, named: &str, day: Option<&Day>) -> Step<Next> {
        let at = day.map(|day| self.date(day)).transpose()?;
        let Some(post) = self.post(named)? else {
            return Ok(self.look_up(named));
        };
        let mut input = json!({ "slug": post.slug, "status": "published" });
        let title = &post.title;
        let words = match at {
            Some(date) => {
                input["publishAt"] = json!(format!("{date}T{HOUR:02}:00:00Z"));
                let day = date.strftime("%A, %-d %B %Y");
                format!("The post “{title}” goes live on {day} at {HOUR:02}:00 UTC.")
            }
            None => format!("Published the post “{title}”."),
        };
        Ok(self.act("updatePost", input, &words))
    }

    /// The day that is meant, which must not be over.
    fn date(&self, day: &Day) -> Step<Date> {
        let unknown = || "I don’t know which day that is. Write it as 2026-12-24.".to_owned();
        let now = jiff::Timestamp::from_millisecond(self.situation.now_ms);
        let today = now
            .map_err(|_beyond| unknown())?
            .to_zoned(TimeZone::UTC)
            .date();
        let weekday = |named: &str| match named {
            "monday" => Weekday::Monday,
            "tuesday" => Weekday::Tuesday,
            "wednesday" => Weekday::Wednesday,
            "thursday" => Weekday::Thursday,
            "friday" => Weekday::Friday,
            "saturday" => Weekday::Saturday,
            _ => Weekday::Sunday,
        };
        let date = match day {
            Day::Tomorrow => today.tomorrow().map_err(|_beyond| unknown())?,
            Day::Weekday(named) => {
                let next = today.nth_weekday(1, weekday(named));
                next.map_err(|_beyond| unknown())?
            }
            Day::Date(date) => date.parse().map_err(|_none| unknown())?,
        };
        match date <= today {
            true => Err(format!(
                "{date} isn’t in the future. Choose another day, or leave it out to publish now."
            )),
            false => Ok(date),
        }
    }

    fn add_to_menu(&self, what: &str, menu: Option<&str>) -> Step<Next> {
        let wanted = normal(menu.unwrap_or("header"));
        let mut menus = self.site.navigations();
        let found = menus
            .find(|(_, found)| normal(&found.slug) == wanted || normal(&found.label) == wanted);
        let Some((menu_id, menu)) = found else {
            let labels: Vec<String> = self
                .site
                .navigations()
                .map(|(_, found)| found.label.clone())
                .collect();
            return Err(format!(
                "There is no menu “{wanted}”. There are {}.",
                labels.join(", ")
            ));
        };
        let mut pages = self
            .site
            .shell
            .pages
            .iter()
            .filter(|(_, page)| page.template.is_none());
        let page = pages.find(|(_, page)| normal(&page.title) == normal(what));
        let (label, kind, target) = match page {
            Some((id, page)) => (page.title.clone(), "page", id.to_string()),
            None => {
                let Some(post) = self.post(what)? else {
                    return Ok(self.look_up(what));
                };
                (post.title, "entry", post.id)
            }
        };
        let input = json!({ "navigationId": menu_id, "label": label, "targetType": kind, "targetId": target });
        let words = format!("Added “{label}” to the menu “{}”.", menu.label);
        Ok(self.act("createNavItem", input, &words))
    }

    fn list_posts(&self) -> Next {
        let Some(result) = self.result_of("getPost") else {
            return self.call("getPost", json!({ "all": true, "limit": LISTED_MAX }));
        };
        let posts = posts_in(result);
        let titles: Vec<String> = posts
            .iter()
            .map(|post| format!("“{}”", post.title))
            .collect();
        Next::Say(match titles.as_slice() {
            [] => "There are no posts yet.".to_owned(),
            _ => format!("There are {}.", titles.join(", ")),
        })
    }

    /// The one post with a title or slug, once it was looked up; `None` before.
    fn post(&self, named: &str) -> Step<Option<Post>> {
        let Some(result) = self.result_of("getPost") else {
            return Ok(None);
        };
        if let Some(why) = &result.error {
            return Err(format!("I couldn’t look it up. {why}"));
        }
        let (title, own_slug) = (normal(named), slug(named));
        let is_it = |post: &Post| {
            let ends = post.slug.rsplit('/').next();
            normal(&post.title) == title || ends == Some(own_slug.as_str())
        };
        let mut fitting = posts_in(result).into_iter().filter(is_it);
        match (fitting.next(), fitting.next()) {
            (Some(only), None) => Ok(Some(only)),
            (None, _) => Err(format!(
                "There is no “{named}”. Ask “which posts are there?” to see them."
            )),
            (Some(one), Some(other)) => Err(format!(
                "“{named}” could mean {} or {}. Which one?",
                one.slug, other.slug
            )),
        }
    }

    fn look_up(&self, named: &str) -> Next {
        self.call("getPost", json!({ "query": named, "limit": LISTED_MAX }))
    }

    /// Makes the call that changes something, and says what it did once it has.
    fn act(&self, tool: &str, input: Value, words: &str) -> Next {
        let Some(result) = self.result_of(tool) else {
            return self.call(tool, input);
        };
        Next::Say(match &result.error {
            None if result.ok => words.to_owned(),
            None => "That didn’t work.".to_owned(),
            Some(why) => format!("That didn’t work. {why}"),
        })
    }

    fn result_of(&self, tool: &str) -> Option<&ToolResult> {
        let mut made = self.since.iter().rev();
        made.find(|made| made.call.tool_name == tool)?.result
    }

    fn call(&self, tool: &str, input: Value) -> Next {
        Next::Call(vec![ToolCall {
            tool_call_id: format!("command-{}", self.since.len()),
            tool_name: tool.to_owned(),
            input,
            echo: None,
        }])
    }
}

fn posts_in(result: &ToolResult) -> Vec<Post> {
    let items = result
        .data
        .as_ref()
        .and_then(|data| data["items"].as_array());
    let text = |item: &Value, field: &str| item[field].as_str().unwrap_or_default().to_owned();
    let post = |item: &Value| Post {
        id: text(item, "id"),
        title: text(item, "title"),
        slug: format!("{}/{}", text(item, "collectionSlug"), text(item, "slug")),
    };
    items
        .map(|items| items.iter().map(post).collect())
        .unwrap_or_default()
}

/// A title as part of an address.
fn slug(title: &str) -> String {
    let words = title.split(|c: char| !c.is_alphanumeric());
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join("-")
}
