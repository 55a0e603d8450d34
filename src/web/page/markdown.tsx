import { lexer, type Token, type Tokens } from 'marked';
import type { ComponentChildren, VNode } from 'preact';
import { useMemo } from 'preact/hooks';

const MAX_CHARS = 200_000;

/**
 * Markdown as nodes. Only the lexer of the package is used: no HTML text exists that a browser could read as markup, and
 * markup in the text is shown as it is written.
 */
export function Markdown({ text }: { text: string }): VNode {
  const tokens = useMemo(() => tokensOf(text), [text]);
  return <div class="md">{tokens === null ? <pre>{text}</pre> : tokens.map(block)}</div>;
}

function tokensOf(text: string): Token[] | null {
  if (text.length > MAX_CHARS) return null;
  try {
    return lexer(text, { gfm: true });
  } catch {
    return null;
  }
}

function block(token: Token, key: number): ComponentChildren {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      return (
        <div
          key={key}
          class={`h h${(token as Tokens.Heading).depth}`}
          role="heading"
          aria-level={Math.min(6, (token as Tokens.Heading).depth + 2)}
        >
          {inlines(token)}
        </div>
      );
    case 'paragraph':
      return <p key={key}>{inlines(token)}</p>;
    case 'code':
      return <CodeBlock key={key} code={(token as Tokens.Code).text} name={(token as Tokens.Code).lang ?? ''} />;
    case 'blockquote':
      return <blockquote key={key}>{(token as Tokens.Blockquote).tokens.map(block)}</blockquote>;
    case 'hr':
      return <hr key={key} />;
    case 'list':
      return list(token as Tokens.List, key);
    case 'table':
      return table(token as Tokens.Table, key);
    case 'text':
      return <span key={key}>{inlines(token)}</span>;
    default:
      return <p key={key}>{token.raw}</p>; // markup included: as text
  }
}

function list({ ordered, start, items }: Tokens.List, key: number): VNode {
  const shown = items.map((item, at) => (
    <li key={at}>
      {item.task && <input type="checkbox" checked={item.checked === true} disabled aria-label="task" />}
      {item.tokens.map(block)}
    </li>
  ));
  return ordered ? (
    <ol key={key} start={Number(start) || 1}>
      {shown}
    </ol>
  ) : (
    <ul key={key}>{shown}</ul>
  );
}

function table({ header, rows }: Tokens.Table, key: number): VNode {
  return (
    <div key={key} class="table" tabIndex={0} role="region" aria-label="table">
      <table>
        <thead>
          <tr>
            {header.map((cell, at) => (
              <th key={at}>{cell.tokens.map(inline)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>{cell.tokens.map(inline)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inlines(token: Token): ComponentChildren {
  const tokens = 'tokens' in token ? token.tokens : undefined;
  return tokens ? tokens.map(inline) : 'text' in token ? String(token.text) : token.raw;
}

function inline(token: Token, key: number): ComponentChildren {
  switch (token.type) {
    case 'strong':
      return <strong key={key}>{inlines(token)}</strong>;
    case 'em':
      return <em key={key}>{inlines(token)}</em>;
    case 'del':
      return <del key={key}>{inlines(token)}</del>;
    case 'codespan':
      return <code key={key}>{(token as Tokens.Codespan).text}</code>;
    case 'br':
      return <br key={key} />;
    case 'escape':
      return (token as Tokens.Escape).text;
    case 'link':
      return (
        <Link key={key} href={(token as Tokens.Link).href}>
          {inlines(token)}
        </Link>
      );
    case 'image':
      return (
        <span key={key} class="named">
          [image: {(token as Tokens.Image).text || (token as Tokens.Image).href}]
        </span>
      );
    case 'text':
      return 'tokens' in token && token.tokens ? <span key={key}>{inlines(token)}</span> : (token as Tokens.Text).text;
    default:
      return token.raw;
  }
}

/** Only addresses that open a page or a mail; anything else is shown as text. */
export function Link({ href, children }: { href: string; children?: ComponentChildren }): VNode {
  const safe = safeAddress(href);
  if (safe === null)
    return (
      <span class="named">
        {children} ({href})
      </span>
    );
  return (
    <a href={safe} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}

const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

function safeAddress(href: string): string | null {
  try {
    const url = new URL(href);
    return SCHEMES.has(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

export function CodeBlock({ code, name }: { code: string; name: string }): VNode {
  return (
    <div class="code">
      <CopyButton text={code} />
      <pre tabIndex={0} aria-label={name === '' ? 'code' : `code: ${name}`}>
        {code}
      </pre>
    </div>
  );
}

export function CopyButton({ text }: { text: string }): VNode {
  const copy = (event: MouseEvent) => {
    const button = event.currentTarget as HTMLButtonElement;
    navigator.clipboard?.writeText(text).then(
      () => {
        button.textContent = 'copied';
      },
      () => {
        button.textContent = 'not copied';
      },
    );
  };
  return (
    <button type="button" class="copy" onClick={copy}>
      copy
    </button>
  );
}
