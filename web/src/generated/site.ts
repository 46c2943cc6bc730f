// Generated from site.json by `npm run types`.

export type Name = string
/**
 * What an address leads to.
 */
export type Reference = ({
id: BodyId
type: "page"
} | {
/**
 * The entry.
 */
id: string
type: "entry"
} | {
/**
 * The file.
 */
id: string
type: "media"
})
export type BodyId = string
/**
 * Who made a change.
 */
export type Author = ({
/**
 * Their id.
 */
id: string
kind: "person"
} | {
/**
 * The person's id.
 */
id: string
kind: "agent"
} | {
/**
 * The token's id.
 */
id: string
kind: "script"
} | {
kind: "local"
})
/**
 * Where a piece came from.
 */
export type Origin = ("author" | {
import: {
/**
 * The file or address it stood in.
 */
source?: (string | null)
}
} | "framework")
export type NodeId = string
/**
 * What a node is.
 */
export type Kind = ({
element: Element
} | {
text: string
} | {
comment: string
} | {
loop: Loop
} | "outlet" | {
component: ComponentUse
})
/**
 * The language an element belongs to.
 */
export type Namespace = ("html" | "svg" | "mathml")
/**
 * Which end of an order comes first.
 */
export type Direction = ("asc" | "desc")
/**
 * What agents (and roles that the site says) may do to a thing.
 */
export type Lock = ("open" | "text-only" | "ask" | "locked")
/**
 * A node and everything under it, with ids: each node after its parent, siblings in order.
 */
export type Subtree = Grown[]
/**
 * What a param is.
 */
export type ParamKind = ("string" | "richText" | "number" | "boolean" | "url" | "image" | "color" | "enum" | "list")
export type ChainOfComponent = [BodyId, Component][]
export type ItemId = string
/**
 * A thing of a list.
 */
export type Item = ({
/**
 * What blocks and tools call it.
 */
id: string
/**
 * What people call it.
 */
label: string
/**
 * Where its styles apply, such as `(max-width: 768px)`. Without a query its frame shows the base styles, which apply at
 * every width: a frame's width is no upper bound.
 */
query?: (string | null)
type: "breakpoint"
/**
 * The width of its frame in pixels.
 */
width: number
} | {
lock?: Lock
/**
 * Where it came from, or what a person calls it.
 */
name: string
target?: Target
type: "sheet"
} | {
/**
 * Whether it has see-through variants.
 */
alpha?: boolean
/**
 * The group it is listed in.
 */
category?: (string | null)
/**
 * Whether the dark value is used.
 */
darkModeEnabled?: boolean
/**
 * Its value on dark pages.
 */
darkValue?: (string | null)
/**
 * Its value, in any notation of CSS.
 */
lightValue: string
/**
 * How many darker variants it has, up to 12.
 */
shades?: number
/**
 * The name of its variable, without dashes.
 */
slug: string
/**
 * How many lighter variants it has, up to 12.
 */
tints?: number
type: "color"
utilities?: Utilities
} | {
/**
 * What stands in while the family is not there, such as `system-ui, sans-serif`.
 */
fallback: string
/**
 * The family; without one the fallback is all there is.
 */
family?: (string | null)
/**
 * What people call it.
 */
name: string
type: "font"
/**
 * The name of its variable, without dashes.
 */
variable: string
} | {
/**
 * Which step has the sizes of `min` and `max`, from 0.
 */
baseScaleIndex: number
/**
 * What tools call it.
 */
groupId: string
max: ScaleEnd
min: ScaleEnd
/**
 * What its variables begin with, such as `text`; or a pattern with `{step}`.
 */
namingConvention: string
/**
 * The names of its steps, smallest first.
 */
steps: string[]
type: "typeScale"
} | {
/**
 * Which step has the sizes of `min` and `max`, from 0.
 */
baseScaleIndex: number
/**
 * What tools call it.
 */
groupId: string
max: ScaleEnd
min: ScaleEnd
/**
 * What its variables begin with, such as `text`; or a pattern with `{step}`.
 */
namingConvention: string
/**
 * The names of its steps, smallest first.
 */
steps: string[]
type: "spacingScale"
} | {
/**
 * Its name in CSS.
 */
family: string
/**
 * Its files.
 */
files: FontFile[]
type: "family"
} | {
code: Code
/**
 * Its text.
 */
content: string
/**
 * Whether it is used at all.
 */
enabled?: boolean
lock?: Lock
/**
 * Its path, unique among files.
 */
path: string
/**
 * Which of several comes first: the least.
 */
priority?: number
target?: Target
type: "file"
})
/**
 * The documents something is for.
 */
export type Target = ({
kind: "site"
} | {
/**
 * The documents.
 */
ids: BodyId[]
kind: "documents"
})
/**
 * What a file holds, and how a script is loaded.
 */
export type Code = ({
type: "style"
} | {
/**
 * Whether it also runs on the editor's canvas.
 */
inCanvas?: boolean
/**
 * Whether it is a module.
 */
module?: boolean
placement?: Placement
timing?: Timing
type: "script"
})
/**
 * Where a script stands.
 */
export type Placement = ("head" | "body-end")
/**
 * When a script runs.
 */
export type Timing = ("immediate" | "dom-ready" | "idle")
export type ChainOfItem = [ItemId, Item][]
/**
 * Trees in the order of their text: each node after its parent, siblings in order. Flat, so that depth costs no stack.
 */
export type Forest = Planted[]
/**
 * A place outside `<head>` and `<body>`.
 */
export type HtmlPlace = ("beforeDoctype" | "beforeHtml" | "beforeHead" | "afterHead" | "afterBody" | "afterHtml")
/**
 * The pages a template is for.
 */
export type TemplateTarget = ({
kind: "everywhere"
} | {
kind: "postTypes"
/**
 * The collections, by slug.
 */
tableSlugs: string[]
} | {
kind: "notFound"
})
export type ChainOfPage = [BodyId, Page][]
/**
 * One piece of a stylesheet.
 */
export type Piece = ({
block: Block
} | {
raw: Raw
})
/**
 * This interface was referenced by `undefined`'s JSON-Schema definition
 * via the `patternProperty` "^[0-9a-hjkmnp-tv-z]{12}$".
 */
export type ChainOfPiece = [ItemId, Piece][]
/**
 * A thing that ops name.
 */
export type Entity = ({
type: "site"
} | {
body: BodyId
node: NodeId
type: "node"
} | {
id: BodyId
type: "page"
} | {
id: BodyId
type: "component"
} | {
id: ItemId
list: List
type: "item"
} | {
id: ItemId
sheet: ItemId
type: "piece"
})
/**
 * A list of the shell.
 */
export type List = ("breakpoints" | "sheets" | "colors" | "fonts" | "typeScales" | "spacingScales" | "families" | "files")
/**
 * A change, as its maker names it.
 */
export type ChangeId = string
/**
 * One step.
 */
export type Op = ({
entity: Entity
/**
 * The field; a dot leads into it, such as `attrs.href`.
 */
field: string
op: "put"
/**
 * The value; null takes an optional one away.
 */
value: {
[k: string]: unknown
}
} | {
body: BodyId
node: NodeId
op: "place"
place: Place
} | {
/**
 * What it is to stand behind; absent for the first place.
 */
after?: (Entity | null)
entity: Entity
op: "order"
} | {
new: New
op: "insert"
} | {
entity: Entity
op: "remove"
})
/**
 * Something new and its place.
 */
export type New = ({
body: BodyId
nodes: Subtree
place: Place
type: "nodes"
} | {
/**
 * The page it stands behind; absent for the first place.
 */
after?: (BodyId | null)
id: BodyId
page: Page
tree: Subtree
type: "page"
} | {
/**
 * The component it stands behind; absent for the first place.
 */
after?: (BodyId | null)
component: Component
id: BodyId
tree: Subtree
type: "component"
} | {
/**
 * What it stands behind in its list; absent for the first place.
 */
after?: (ItemId | null)
id: ItemId
item: Item
/**
 * What stands in it, for a stylesheet.
 */
pieces?: [ItemId, Piece][]
type: "item"
} | {
/**
 * The rule it stands behind; absent for the first place.
 */
after?: (ItemId | null)
id: ItemId
piece: Piece
sheet: ItemId
type: "piece"
})
/**
 * How completely a run can be taken back.
 */
export type Compensation = ("perfect" | "best-effort" | "manual")
/**
 * What happened to something.
 */
export type DiffKind = ("added" | "removed" | "moved" | "changed")
/**
 * What a document is.
 */
export type DocumentType = ("page" | "template" | "visualComponent")
/**
 * What a run leaves behind.
 */
export type Effect = ("none" | "draft" | "durable" | "external")
/**
 * Why a call failed, in the words machines compare.
 */
export type ErrorCode = ("unknown_tool" | "invalid_input" | "invalid_output" | "unauthenticated" | "forbidden" | "step_up_required" | "approval_required" | "approval_denied" | "not_found" | "conflict" | "reload_required" | "too_large" | "timeout" | "rate_limited" | "budget_exceeded" | "unavailable" | "upstream_error" | "cancelled" | "interrupted" | "outcome_unknown" | "internal")
/**
 * Whether an answer can be trusted to carry no instructions of strangers.
 */
export type Taint = ("trusted" | "untrusted")
/**
 * Where a tool runs.
 */
export type Execution = ("server" | "browser")
/**
 * What came of a wish for a font.
 */
export type FontReport = ({
/**
 * Its name in CSS.
 */
family: string
/**
 * Its files.
 */
files: FontFile[]
type: "installed"
} | {
/**
 * Why, as the beginning of a sentence without its full stop.
 */
reason: string
type: "refused"
})
/**
 * What can look wrong.
 */
export type FrameWarningKind = ("overflow" | "brokenImage" | "invisible")
/**
 * What came of a look.
 */
export type FrameReport = ({
frame: Frame
type: "captured"
} | {
type: "notShown"
} | {
/**
 * Why, as the beginning of a sentence without its full stop.
 */
reason: string
type: "impossible"
})
/**
 * The part of Sitewright a tool belongs to.
 */
export type Scope = ("site" | "content" | "data" | "plugin")
/**
 * Whether a tool only looks or also changes.
 */
export type ToolCapability = ("read" | "write")
export type ToolName = string

export interface Components {
Attr?: Attr
Author?: Author
Block?: Block
BodyId?: BodyId
BodySnapshot?: BodySnapshot
ChainOfComponent?: ChainOfComponent
ChainOfItem?: ChainOfItem
ChainOfPage?: ChainOfPage
ChainOfPiece?: ChainOfPiece
Change?: Change
ChangeId?: ChangeId
Code?: Code
Compensation?: Compensation
Component?: Component
ComponentUse?: ComponentUse
Declaration?: Declaration
DiffKind?: DiffKind
DiffLine?: DiffLine
Direction?: Direction
DocumentRef?: DocumentRef
DocumentType?: DocumentType
Effect?: Effect
Element?: Element
Entity?: Entity
Envelope?: Envelope
ErrorCode?: ErrorCode
Execution?: Execution
Expect?: Expect
FontFile?: FontFile
FontQuery?: FontQuery
FontReport?: FontReport
Forest?: Forest
Frame?: Frame
FrameBox?: FrameBox
FrameLayout?: FrameLayout
FrameQuery?: FrameQuery
FrameReport?: FrameReport
FrameWarning?: FrameWarning
FrameWarningKind?: FrameWarningKind
Grown?: Grown
HtmlPlace?: HtmlPlace
HtmlStray?: HtmlStray
Image?: Image
Item?: Item
ItemId?: ItemId
Items?: Items
Kind?: Kind
List?: List
Lock?: Lock
Logged?: Logged
Loop?: Loop
Name?: Name
Namespace?: Namespace
New?: New
Node?: Node
NodeId?: NodeId
Op?: Op
Origin?: Origin
Page?: Page
PageInfo?: PageInfo
PageSettings?: PageSettings
Param?: Param
ParamKind?: ParamKind
Piece?: Piece
Place?: Place
Placement?: Placement
Planted?: Planted
Ranges?: Ranges
Raw?: Raw
ReadingPart?: ReadingPart
Receipt?: Receipt
Reference?: Reference
RetryPolicy?: RetryPolicy
Sanitised?: Sanitised
ScaleEnd?: ScaleEnd
Scope?: Scope
Shell?: Shell
ShellSnapshot?: ShellSnapshot
SiteSettings?: SiteSettings
Subtree?: Subtree
Taint?: Taint
Target?: Target
Template?: Template
TemplateTarget?: TemplateTarget
Timing?: Timing
ToolCapability?: ToolCapability
ToolError?: ToolError
ToolManifest?: ToolManifest
ToolName?: ToolName
Touched?: Touched
Utilities?: Utilities
Viewport?: Viewport
}
/**
 * An attribute. A name with a prefix is written with it, such as `xlink:href`.
 */
export interface Attr {
name: Name
/**
 * What its value points at, when it is an address of something on this site.
 */
target?: (Reference | null)
/**
 * Its value, without character references.
 */
value: string
}
/**
 * A style rule.
 */
export interface Block {
/**
 * Its declarations in order, duplicates included.
 */
declarations: Declaration[]
origin?: Origin
/**
 * Its selector list, such as `.hero a:hover`.
 */
selector: string
/**
 * The at-rules around it, outermost first, such as `@media (min-width: 600px)`.
 */
wrappers?: string[]
}
/**
 * One declaration.
 */
export interface Declaration {
/**
 * Whether it is marked `!important`.
 */
important?: boolean
/**
 * Its property as it was written; custom properties are case-sensitive.
 */
property: string
/**
 * Its value as it was written, without `!important`.
 */
value: string
}
/**
 * A document's tree, and how recently its nodes were touched.
 */
export interface BodySnapshot {
nodes: Subtree
/**
 * The last sequence that touched each, in the order of the nodes.
 */
revs: number[]
}
/**
 * A node of a subtree.
 */
export interface Grown {
id: NodeId
node: Node
/**
 * The position of its parent in the subtree; absent for the root alone.
 */
parent?: (number | null)
}
/**
 * A node without its place in a tree.
 */
export interface Node {
/**
 * The text of its `class` attribute, as it was written.
 */
classes?: (string | null)
/**
 * Whether it is left out of every rendering.
 */
hidden?: boolean
kind: Kind
/**
 * What a person calls it in the layers panel.
 */
label?: (string | null)
lock?: Lock
/**
 * Which slot of the component around it fills; only for children of a component's use.
 */
slot?: (string | null)
/**
 * The text of its `style` attribute, as it was written.
 */
style?: (string | null)
}
/**
 * An element.
 */
export interface Element {
/**
 * Its attributes in order, without `class` and `style`.
 */
attrs?: Attr[]
namespace?: Namespace
tag: Name
}
/**
 * What is repeated and how.
 */
export interface Loop {
direction?: Direction
/**
 * Which rows, by field and value.
 */
filter?: {
[k: string]: unknown
}
/**
 * How many rows at most.
 */
limit?: (number | null)
/**
 * How many rows to leave out at the start.
 */
offset?: number
/**
 * The field to sort by.
 */
order?: (string | null)
/**
 * The source of rows, such as `data.rows`, `site.pages`, `site.media` or `props.items`.
 */
source: string
/**
 * The table, for sources that have several.
 */
table?: (string | null)
}
/**
 * A component in use.
 */
export interface ComponentUse {
/**
 * The component.
 */
id: string
/**
 * Values for its params; those left out take the param's default.
 */
props?: {
[k: string]: unknown
}
}
/**
 * A component: a tree that is used in many places with other values.
 */
export interface Component {
lock?: Lock
/**
 * Its name.
 */
name: string
/**
 * What can be filled in, in order.
 */
params?: Param[]
/**
 * Its key as a section template, for components that are sections.
 */
templateKey?: (string | null)
}
/**
 * A value a component takes.
 */
export interface Param {
/**
 * What it is when it is left out.
 */
default?: {
[k: string]: unknown
}
/**
 * What it is for.
 */
description?: (string | null)
/**
 * The fields of each item, for `list`.
 */
fields?: {
[k: string]: ParamKind
}
kind: ParamKind
/**
 * Its name in bindings.
 */
name: string
/**
 * What can be chosen, for `enum`.
 */
options?: string[]
/**
 * Whether it must be given.
 */
required?: boolean
}
/**
 * Which utility classes a colour has.
 */
export interface Utilities {
/**
 * `.bg-…`
 */
background?: boolean
/**
 * `.border-…`
 */
border?: boolean
/**
 * `.fill-…`
 */
fill?: boolean
/**
 * `.text-…`
 */
text?: boolean
}
/**
 * A scale at one width of the screen.
 */
export interface ScaleEnd {
/**
 * How many times larger each step is than the one before.
 */
scaleRatio: number
/**
 * The size of the base step, in pixels.
 */
size: number
}
/**
 * One file of a font.
 */
export interface FontFile {
/**
 * The blob that holds it.
 */
blob: string
/**
 * Its format, such as `woff2`.
 */
format: string
/**
 * Whether it is slanted.
 */
italic?: boolean
/**
 * The characters it is for.
 */
unicodeRange?: (string | null)
/**
 * Its weight, such as `400` or `100 900`.
 */
weight: string
}
/**
 * A page, or with `template`, a template that wraps others.
 */
export interface Page {
/**
 * Whether it is kept out of publishing.
 */
draft?: boolean
/**
 * Whether it cannot be deleted.
 */
isProtected?: boolean
/**
 * Its language, when it is not the site's.
 */
locale?: (string | null)
lock?: Lock
/**
 * The page it lies under in addresses.
 */
parentId?: (BodyId | null)
settings?: PageSettings
/**
 * Its part of the address, unique among its siblings of a locale; `index` is the home page.
 */
slug: string
/**
 * What it wraps, when it is a template.
 */
template?: (Template | null)
/**
 * Its title.
 */
title: string
/**
 * The page it is a translation of.
 */
translationOf?: (BodyId | null)
}
/**
 * What stands around a page's content.
 */
export interface PageSettings {
/**
 * The address search engines should know it by, when it is not its own.
 */
canonical?: (string | null)
/**
 * What search engines show under the title.
 */
description?: (string | null)
/**
 * The doctype when it is not `<!doctype html>`, as it was written; empty for a page without one.
 */
doctype?: (string | null)
head?: Forest
/**
 * Attributes of `<head>`.
 */
headAttrs?: Attr[]
/**
 * Whether it is left out of generated menus.
 */
hideInMenus?: boolean
/**
 * Attributes of `<html>`.
 */
htmlAttrs?: Attr[]
/**
 * Whether search engines are asked to leave it out.
 */
noIndex?: boolean
/**
 * The picture that others show with a link to it.
 */
socialImage?: (string | null)
/**
 * What stands outside `<head>` and `<body>`.
 */
strays?: HtmlStray[]
}
/**
 * A node in a forest.
 */
export interface Planted {
node: Node
/**
 * The position of its parent in the forest; absent for roots.
 */
parent?: (number | null)
}
/**
 * A comment or white space outside `<head>` and `<body>`.
 */
export interface HtmlStray {
node: Node
place: HtmlPlace
}
/**
 * What a template wraps.
 */
export interface Template {
/**
 * Which of several wins: the greatest.
 */
priority?: number
target: TemplateTarget
}
/**
 * CSS that is not wrappers, one selector and declarations: `@keyframes`, `@font-face`, nesting, anonymous layers, at-rules
 * that nobody knows yet.
 */
export interface Raw {
origin?: Origin
/**
 * One whole rule or statement.
 */
text: string
/**
 * The at-rules around it, outermost first.
 */
wrappers?: string[]
}
/**
 * Ops that belong together.
 */
export interface Change {
author: Author
/**
 * What must not have been touched since its maker looked.
 */
expects?: Expect[]
/**
 * The version of its shape.
 */
format: number
id: ChangeId
/**
 * The steps.
 */
ops: Op[]
/**
 * What it does, in a few words.
 */
summary: string
/**
 * The turn of the conversation it belongs to.
 */
turn?: (string | null)
}
/**
 * A part of the site as its maker saw it.
 */
export interface Expect {
entity: Entity
/**
 * The last sequence that had touched it.
 */
rev: number
}
/**
 * Where a node stands: under a parent, behind a sibling or first.
 */
export interface Place {
/**
 * The sibling it stands behind; absent for the first child.
 */
after?: (NodeId | null)
parent: NodeId
}
/**
 * Something that differs.
 */
export interface DiffLine {
/**
 * What it is; null for nothing.
 */
after: {
[k: string]: unknown
}
/**
 * What it was; null for nothing.
 */
before: {
[k: string]: unknown
}
/**
 * The document it is in; absent for what all documents share.
 */
document?: (BodyId | null)
entity: Entity
/**
 * The field that differs, for changes.
 */
field?: (string | null)
kind: DiffKind
/**
 * What a person calls it.
 */
name: string
/**
 * All of it in a sentence.
 */
sentence: string
}
/**
 * A page, a template or a component, as tools name it.
 */
export interface DocumentRef {
id: BodyId
type: DocumentType
}
/**
 * The answer to a call.
 */
export interface Envelope {
/**
 * How many attempts it took.
 */
attempts: number
/**
 * What it answered, on success.
 */
data?: {
[k: string]: unknown
}
/**
 * Why it failed.
 */
error?: (ToolError | null)
/**
 * Pictures for models that can see.
 */
images?: Image[]
/**
 * How long the call took.
 */
latencyMs: number
/**
 * Whether it did what was asked.
 */
ok: boolean
/**
 * What really happened to the site.
 */
receipt?: (Receipt | null)
taint?: Taint
}
/**
 * Why a call failed.
 */
export interface ToolError {
code: ErrorCode
/**
 * Particulars, such as the places in the input that are wrong.
 */
details?: {
[k: string]: unknown
}
/**
 * What happened and what to try next.
 */
message: string
/**
 * Whether the same call may succeed later.
 */
retryable: boolean
}
/**
 * A picture.
 */
export interface Image {
/**
 * Its bytes in base64.
 */
data: string
/**
 * Its type, such as `image/png`.
 */
mimeType: string
}
/**
 * What a call really did. A call never says ok for what did not happen: what was asked and did not happen stands here too.
 */
export interface Receipt {
/**
 * What is different.
 */
changed?: Touched[]
/**
 * What is new.
 */
created?: Touched[]
/**
 * What was named and is not there.
 */
missing?: Touched[]
/**
 * Anything else the caller should know, in sentences.
 */
notes?: string[]
/**
 * What is gone.
 */
removed?: Touched[]
/**
 * What was in the input and was taken out because it is not safe.
 */
sanitised?: Sanitised[]
/**
 * What was asked for and was so already.
 */
unchanged?: Touched[]
}
/**
 * A thing that a call touched.
 */
export interface Touched {
/**
 * In how many other places it is used.
 */
alsoUsedIn?: (number | null)
/**
 * Its id.
 */
id: string
/**
 * The kind of thing, such as `node`, `page` or `rule`.
 */
kind: string
/**
 * What a person calls it.
 */
name?: (string | null)
}
/**
 * Something taken out of the input because it is not safe.
 */
export interface Sanitised {
/**
 * The tag it stood on or in.
 */
at: string
/**
 * How often.
 */
count: number
/**
 * What it was, such as `script` or `onclick`.
 */
what: string
}
/**
 * A web font to install; equal for equal wishes.
 */
export interface FontQuery {
/**
 * The family as Google Fonts writes it.
 */
googleFamily: string
/**
 * Subsets, in order.
 */
subsets: string[]
/**
 * Weights, with `italic` behind them for slanted ones, in order.
 */
variants: string[]
}
/**
 * What was seen of a document.
 */
export interface Frame {
/**
 * When, in ISO 8601.
 */
capturedAt: string
/**
 * The picture.
 */
image?: (Image | null)
layout: FrameLayout
}
/**
 * Where everything stands in a frame.
 */
export interface FrameLayout {
/**
 * The box of each node.
 */
boxes: FrameBox[]
/**
 * The node it is about; positions count from its box. Absent for the whole page.
 */
nodeId?: (NodeId | null)
viewport: Viewport
/**
 * What looks wrong.
 */
warnings: FrameWarning[]
}
/**
 * The box of a node, in pixels.
 */
export interface FrameBox {
/**
 * Its height.
 */
height: number
nodeId: NodeId
/**
 * Its tag.
 */
tag: string
/**
 * Its width.
 */
width: number
/**
 * How far it is from the left.
 */
x: number
/**
 * How far it is from the top.
 */
y: number
}
/**
 * The window and what it scrolls over, in pixels.
 */
export interface Viewport {
/**
 * The height of the window.
 */
height: number
/**
 * The height of what it shows.
 */
scrollHeight: number
/**
 * The width of what it shows.
 */
scrollWidth: number
/**
 * The width of the window.
 */
width: number
}
/**
 * Something that looks wrong.
 */
export interface FrameWarning {
kind: FrameWarningKind
/**
 * What it is, in a sentence.
 */
message: string
nodeId: NodeId
}
/**
 * Which look at which document.
 */
export interface FrameQuery {
/**
 * The breakpoint whose frame is looked at.
 */
breakpoint: string
document: BodyId
/**
 * The node to look at alone, with everything in it.
 */
node?: (NodeId | null)
/**
 * Whether a picture is wanted beside the layout.
 */
screenshot: boolean
/**
 * The width of that frame in pixels.
 */
width: number
}
/**
 * The lists of the shell, and what stands in each stylesheet.
 */
export interface Items {
lists: {
[k: string]: ChainOfItem
}
/**
 * By stylesheet. Apart from the sheet itself, so that a step on a rule does not cost the size of the sheet.
 */
pieces: {
[k: string]: ChainOfPiece
}
}
/**
 * A change as the log has it.
 */
export interface Logged {
/**
 * When it was committed, in milliseconds since 1970.
 */
at: number
author: Author
/**
 * The version of its shape.
 */
format: number
id: ChangeId
/**
 * The steps as they happened.
 */
ops: Op[]
/**
 * Its place in the log.
 */
seq: number
/**
 * What it does, in a few words.
 */
summary: string
/**
 * The turn of the conversation it belongs to.
 */
turn?: (string | null)
}
/**
 * Which part of how many, and what was shortened.
 */
export interface PageInfo {
/**
 * The part to read next; null at the end.
 */
nextPart?: (number | null)
/**
 * How many data URLs were left out of the whole document.
 */
omittedDataUrls: number
/**
 * This part, from 1.
 */
part: number
ranges: Ranges
/**
 * How many characters this part has as JSON, this description left out.
 */
serializedChars: number
/**
 * How many URLs were shortened in the whole document.
 */
shortenedUrls: number
/**
 * How many there are.
 */
totalParts: number
}
/**
 * Which characters of the whole a part holds: from, to.
 */
export interface Ranges {
/**
 * Of the CSS.
 * 
 * @minItems 2
 * @maxItems 2
 */
css: [number, number]
/**
 * Of the HTML.
 * 
 * @minItems 2
 * @maxItems 2
 */
html: [number, number]
}
/**
 * A part of a document.
 */
export interface ReadingPart {
/**
 * The CSS of this part.
 */
css: string
/**
 * The HTML of this part.
 */
html: string
pageInfo: PageInfo
}
/**
 * How often a failed attempt may be repeated.
 */
export interface RetryPolicy {
/**
 * The pause before the second attempt, from which the others grow.
 */
backoffMs?: (number | null)
/**
 * Attempts in all, 1 to 5.
 */
maxAttempts: number
}
/**
 * What every document shares, and the list of documents.
 */
export interface Shell {
components: ChainOfComponent
items?: Items
pages: ChainOfPage
settings: SiteSettings
}
/**
 * The settings of the site.
 */
export interface SiteSettings {
/**
 * Code at the end of every `<body>`.
 */
bodyCode?: string
/**
 * Whether search engines are asked to stay away.
 */
discourageSearchEngines?: boolean
/**
 * The small picture browsers show with it.
 */
favicon?: (string | null)
/**
 * Code at the end of every `<head>`.
 */
headCode?: string
/**
 * Its language, such as `en` or `de-AT`.
 */
language?: string
/**
 * Its name.
 */
name?: string
/**
 * The picture others show with a link, for pages without one of their own.
 */
socialImage?: (string | null)
/**
 * How a page's title is shown: `{title}` and `{site}` are filled in.
 */
titlePattern?: string
}
/**
 * The shell, and how recently its parts were touched.
 */
export interface ShellSnapshot {
/**
 * The last sequence that touched each part, in the order of the parts.
 */
revs: [Entity, number][]
shell: Shell
}
/**
 * A tool's own description: what it takes, what it answers, how it may be run.
 */
export interface ToolManifest {
/**
 * Older names it still answers to.
 */
aliases?: ToolName[]
/**
 * The tool whose doing this one takes back.
 */
cancelFor?: (ToolName | null)
/**
 * The tool that takes back what this one did.
 */
cancels?: (ToolName | null)
capability: ToolCapability
/**
 * How completely it can be taken back.
 */
compensation?: (Compensation | null)
/**
 * How a person is asked before it runs: `none`, `preview`, or `structured-` and a kind.
 */
confirmation?: (string | null)
/**
 * What it is for, in a few sentences a model can act on.
 */
description: string
/**
 * What a run leaves behind. Left out, it is taken from the capability: a read leaves nothing, a write is `external`.
 */
effect?: (Effect | null)
/**
 * Whether it may be used at the moment.
 */
enabled?: boolean
execution?: Execution
/**
 * A line for the prompt, while the tool is on offer.
 */
guidance?: (string | null)
/**
 * Whether its answers are large and go stale, so that only the newest stays in a conversation.
 */
heavy?: boolean
/**
 * Whether the same call may be made again without doing more.
 */
idempotent: boolean
/**
 * The JSON Schema of its input.
 */
inputSchema: {
[k: string]: unknown
}
/**
 * Words for finding it.
 */
intentTags?: string[]
name: ToolName
/**
 * The JSON Schema of the data it answers.
 */
outputSchema: {
[k: string]: unknown
}
/**
 * Personal data it needs, which goes to it only with the person's grant.
 */
piiRequired?: string[]
retryPolicy: RetryPolicy
/**
 * Where it is offered; everywhere when empty.
 */
scopes?: Scope[]
/**
 * How long one attempt may take, 250 to 600 000 ms.
 */
timeoutMs: number
/**
 * The name on screen.
 */
title?: (string | null)
}
