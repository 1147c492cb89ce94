/**
 * JSON read by hand, because JSON.parse rounds: 9007199254740993 would be shown as …992, and 1.10 as 1.1. Numbers stay the text
 * they were, members keep their order, and members that come twice are both kept.
 */
export type Json =
  | { kind: 'object'; members: { name: string; value: Json }[] }
  | { kind: 'array'; items: Json[] }
  | { kind: 'string'; value: string }
  | { kind: 'number'; text: string }
  | { kind: 'word'; text: 'true' | 'false' | 'null' }

export class JsonError extends Error {
  constructor(what: string, at: number) {
    super(`${what} at character ${at + 1}`)
    this.name = 'JsonError'
  }
}

const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
// What JSON allows unescaped: anything but the quote, the backslash and control characters.
// eslint-disable-next-line no-control-regex
const stringPattern = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const spacePattern = /[ \t\n\r]*/y
/** Deeper documents are shown as text: the browser's stack is not endless. */
const deepest = 500

class Reader {
  private at = 0

  constructor(private readonly text: string) {}

  document(): Json {
    const value = this.value(0)
    this.space()
    if (this.at < this.text.length) {
      throw new JsonError('more than one value', this.at)
    }
    return value
  }

  private value(depth: number): Json {
    if (depth > deepest) {
      throw new JsonError(`nested deeper than ${deepest}`, this.at)
    }
    this.space()
    switch (this.text[this.at]) {
      case '{':
        return this.object(depth)
      case '[':
        return this.array(depth)
      case '"':
        return { kind: 'string', value: this.string() }
      default:
        return this.scalar()
    }
  }

  private object(depth: number): Json {
    const members: { name: string; value: Json }[] = []
    this.expect('{')
    if (!this.taken('}')) {
      do {
        const name = this.name()
        members.push({ name, value: this.value(depth + 1) })
      } while (this.taken(','))
      this.expect('}')
    }
    return { kind: 'object', members }
  }

  private array(depth: number): Json {
    const items: Json[] = []
    this.expect('[')
    if (!this.taken(']')) {
      do {
        items.push(this.value(depth + 1))
      } while (this.taken(','))
      this.expect(']')
    }
    return { kind: 'array', items }
  }

  private name(): string {
    this.space()
    const name = this.string()
    this.expect(':')
    return name
  }

  private string(): string {
    const token = this.match(stringPattern)
    if (token === undefined) {
      throw new JsonError('a string is expected', this.at)
    }
    // A string alone holds nothing that JSON.parse would round.
    return JSON.parse(token) as string
  }

  private scalar(): Json {
    for (const word of ['true', 'false', 'null'] as const) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length
        return { kind: 'word', text: word }
      }
    }
    const text = this.match(numberPattern)
    if (text === undefined) {
      throw new JsonError('a value is expected', this.at)
    }
    return { kind: 'number', text }
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const token = pattern.exec(this.text)?.[0]
    if (token !== undefined) {
      this.at += token.length
    }
    return token
  }

  private space() {
    this.match(spacePattern)
  }

  private taken(character: string): boolean {
    this.space()
    const is = this.text[this.at] === character
    if (is) {
      this.at++
    }
    return is
  }

  private expect(character: string) {
    if (!this.taken(character)) {
      throw new JsonError(`${character} is expected`, this.at)
    }
  }
}

export function readJson(text: string): Json {
  return new Reader(text).document()
}

/** The value as text again, indented, with every number as it was. */
export function writeJson(value: Json, indent = ''): string {
  const inner = indent + '  '
  switch (value.kind) {
    case 'object':
      return value.members.length === 0
        ? '{}'
        : `{\n${value.members.map((m) => `${inner}${JSON.stringify(m.name)}: ${writeJson(m.value, inner)}`).join(',\n')}\n${indent}}`
    case 'array':
      return value.items.length === 0 ? '[]' : `[\n${value.items.map((item) => inner + writeJson(item, inner)).join(',\n')}\n${indent}]`
    case 'string':
      return JSON.stringify(value.value)
    default:
      return value.text
  }
}
