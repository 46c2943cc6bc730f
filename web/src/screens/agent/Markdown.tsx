import { type Block, type Inline, parseMarkdown } from "../../agent/markdown";

/** What a model wrote, as elements; HTML in it is text. */
export function Markdown({ text }: { text: string }) {
  return parseMarkdown(text).map((block, position) => <BlockView key={position} block={block} />);
}

function BlockView({ block }: { block: Block }) {
  switch (block.kind) {
    case "paragraph":
      return (
        <p>
          <Parts parts={block.parts} />
        </p>
      );
    case "heading":
      return (
        <p>
          <strong>
            <Parts parts={block.parts} />
          </strong>
        </p>
      );
    case "code":
      return (
        <pre>
          <code>{block.text}</code>
        </pre>
      );
    case "list": {
      const List = block.isOrdered ? "ol" : "ul";
      return (
        <List>
          {block.items.map((parts, position) => (
            <li key={position}>
              <Parts parts={parts} />
            </li>
          ))}
        </List>
      );
    }
  }
}

function Parts({ parts }: { parts: readonly Inline[] }) {
  return parts.map((part, position) => <Part key={position} part={part} />);
}

function Part({ part }: { part: Inline }) {
  switch (part.kind) {
    case "text":
      return part.text;
    case "code":
      return <code>{part.text}</code>;
    case "strong":
      return (
        <strong>
          <Parts parts={part.parts} />
        </strong>
      );
    case "emphasis":
      return (
        <em>
          <Parts parts={part.parts} />
        </em>
      );
    case "link":
      return (
        <a href={part.href} target="_blank" rel="noreferrer">
          <Parts parts={part.parts} />
        </a>
      );
  }
}
