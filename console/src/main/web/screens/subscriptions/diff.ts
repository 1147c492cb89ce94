/** A field that is another than before. What was not there, or is not there now, is undefined. */
export interface Difference {
  path: string
  before: string | undefined
  after: string | undefined
}

/** Field by field, in the order of their names: what a reader of two documents looks for. */
export function differences(before: unknown, after: unknown): Difference[] {
  const old = flat(before)
  const young = flat(after)
  return [...new Set([...old.keys(), ...young.keys()])]
    .sort()
    .map((path) => ({ path, before: old.get(path), after: young.get(path) }))
    .filter((one) => one.before !== one.after)
}

function flat(value: unknown, path = '', into = new Map<string, string>()): Map<string, string> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0) {
    for (const [name, inner] of Object.entries(value)) {
      // A header may have a dot in its name: then it is quoted, so that it is no path.
      const part = /^[\w-]+$/.test(name) ? name : JSON.stringify(name)
      flat(inner, path === '' ? part : `${path}.${part}`, into)
    }
  } else if (value !== undefined && path !== '') {
    into.set(path, JSON.stringify(value))
  }
  return into
}
