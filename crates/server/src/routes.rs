//! The table of all routes. Adding to the HTTP API takes one function in a file here and one line in its list.

mod account;
mod ai;
mod audit;
mod breadcrumbs;
mod calls;
mod confirmation;
mod content;
mod design;
mod doctor;
mod fonts;
mod health;
mod media;
mod missions;
mod names;
mod openapi;
mod openapi_document;
mod openapi_documents;
mod passkeys;
mod password_links;
mod personal_data;
mod policy;
mod preview_links;
mod publishing;
mod roles;
mod second_factor;
mod session;
mod setup;
mod site;
mod storage;
mod tokens;
mod tool_sources;
mod tools;
mod uploads;
mod users;

use crate::route::Route;

/// Every route of the server except the shell and the public site.
pub(crate) fn all() -> Vec<Route> {
    [
        health::routes(),
        session::routes(),
        second_factor::routes(),
        passkeys::routes(),
        confirmation::routes(),
        setup::routes(),
        password_links::routes(),
        account::routes(),
        users::routes(),
        roles::routes(),
        tokens::routes(),
        site::routes(),
        content::routes(),
        design::routes(),
        publishing::routes(),
        preview_links::routes(),
        tools::routes(),
        calls::routes(),
        policy::routes(),
        tool_sources::routes(),
        openapi_document::routes(),
        openapi_documents::routes(),
        personal_data::routes(),
        missions::routes(),
        breadcrumbs::routes(),
        fonts::routes(),
        media::routes(),
        uploads::routes(),
        ai::routes(),
        audit::routes(),
        doctor::routes(),
        storage::routes(),
        openapi::routes(),
    ]
    .concat()
}
