/**
 * The filter of a list as one line of text: `type:order.* status:failed "connection refused"`. It is what stands in the URL, what
 * one types, and what is sent in a chat to somebody else.
 */
export interface Term {
  /** Undefined for a word without a qualifier. */
  qualifier: string | undefined
  value: string
  /** Where it stands in the text. */
  from: number
  to: number
}

export interface Qualifier {
  name: string
  about: string
  /** All values there are, or those that begin so. */
  values?: readonly string[] | ((begin: string) => Promise<readonly string[]>)
  /** What is wrong with a value, undefined if nothing. */
  check?: (value: string) => string | undefined
}

const termPattern = /(?:([A-Za-z][\w-]*):)?(?:"((?:[^"\\]|\\.)*)("?)|([^\s"]\S*|"?))/gy

/** The terms of a text. Every text has some: what no qualifier claims is a word. */
export function parseFilter(text: string, qualifiers: readonly Qualifier[]): Term[] {
  const terms: Term[] = []
  let at = 0
  while (at < text.length) {
    if (/\s/.test(text.charAt(at))) {
      at++
      continue
    }
    termPattern.lastIndex = at
    const match = termPattern.exec(text)
    const whole = match?.[0] ?? ''
    if (match === null || whole === '') {
      break
    }
    const [, name, quoted, , bare] = match
    const known = name !== undefined && qualifiers.some((qualifier) => qualifier.name === name.toLowerCase())
    const value = quoted === undefined ? (bare ?? '') : quoted.replaceAll(/\\(.)/g, '$1')
    terms.push({
      qualifier: known ? name.toLowerCase() : undefined,
      // "a:b" without a qualifier a is a word with a colon in it.
      value: known || name === undefined ? value : `${name}:${value}`,
      from: at,
      to: at + whole.length,
    })
    at += whole.length
  }
  return terms
}

export function writeTerm(qualifier: string | undefined, value: string): string {
  const plain = /^[^\s"\\]+$/.test(value) && (qualifier !== undefined || !value.includes(':'))
  const text = plain ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`
  return qualifier === undefined ? text : `${qualifier}:${text}`
}

/** The text with this qualifier set to that value, instead of any it had; without it if the value is undefined. */
export function withTerm(text: string, qualifiers: readonly Qualifier[], name: string, value: string | undefined): string {
  const others = parseFilter(text, qualifiers)
    .filter((term) => term.qualifier !== name)
    .map((term) => writeTerm(term.qualifier, term.value))
  return [...others, ...(value === undefined ? [] : [writeTerm(name, value)])].join(' ')
}

/** What breaks a rule: a value that its qualifier does not take, or a qualifier that comes twice. */
export function filterFaults(terms: readonly Term[], qualifiers: readonly Qualifier[], words: boolean): string[] {
  const faults: string[] = []
  const seen = new Set<string>()
  for (const { qualifier: name, value } of terms) {
    const qualifier = qualifiers.find((one) => one.name === name)
    if (qualifier === undefined) {
      if (!words) {
        faults.push(`“${value}”: name what it is, such as ${qualifiers[0]?.name ?? ''}:${value}`)
      }
      continue
    }
    if (seen.has(qualifier.name)) {
      faults.push(`${qualifier.name}: is there twice`)
    }
    seen.add(qualifier.name)
    const fault = value === '' ? 'has no value' : qualifier.check?.(value)
    if (fault !== undefined) {
      faults.push(`${qualifier.name}: ${fault}`)
    }
  }
  return faults
}

/** The values by qualifier, and the words without one. */
export function filterValues(terms: readonly Term[]): { values: Record<string, string>; words: string } {
  const values: Record<string, string> = {}
  for (const { qualifier, value } of terms) {
    if (qualifier !== undefined && value !== '') {
      values[qualifier] ??= value
    }
  }
  return { values, words: terms.filter((term) => term.qualifier === undefined).map((term) => term.value).join(' ') }
}

export interface Completion {
  /** What is shown. */
  text: string
  about: string
  /** What the term becomes. */
  term: string
  /** A qualifier alone is not done: its value follows. */
  open: boolean
}

/** What may stand where the caret is: qualifiers at the start of a term, values behind one. */
export async function completions(
  text: string,
  caret: number,
  qualifiers: readonly Qualifier[],
): Promise<{ from: number; to: number; options: Completion[] }> {
  const terms = parseFilter(text, qualifiers)
  const term = terms.find((one) => one.from <= caret && caret <= one.to)
  const range = { from: term?.from ?? caret, to: term?.to ?? caret }
  const qualifier = qualifiers.find((one) => one.name === term?.qualifier)
  if (term === undefined || qualifier === undefined) {
    const begin = text.slice(range.from, caret).toLowerCase()
    const used = new Set(terms.map((one) => one.qualifier))
    const options = qualifiers
      .filter((one) => one.name.startsWith(begin) && !used.has(one.name))
      .map((one) => ({ text: `${one.name}:`, about: one.about, term: `${one.name}:`, open: true }))
    return { ...range, options }
  }
  const values = typeof qualifier.values === 'function' ? await qualifier.values(term.value) : (qualifier.values ?? [])
  const begin = term.value.toLowerCase()
  const options = values
    .filter((value) => value.toLowerCase().startsWith(begin) && value !== term.value)
    .slice(0, 50)
    .map((value) => ({ text: value, about: '', term: writeTerm(qualifier.name, value), open: false }))
  return { ...range, options }
}

/** "<2h" as the time from which on: what is younger than that. Undefined if it is no such age. */
export function ageBounds(value: string, now: number, millisOf: (text: string) => number | undefined): { from?: string; to?: string } | undefined {
  const match = /^([<>])(.+)$/.exec(value)
  const millis = match === null ? undefined : millisOf(match[2] ?? '')
  if (match === null || millis === undefined) {
    return undefined
  }
  // To the whole second: a query whose key changed with every millisecond would be a new one with every look.
  const bound = new Date(Math.floor((now - millis) / 1000) * 1000).toISOString()
  return match[1] === '<' ? { from: bound } : { to: bound }
}
