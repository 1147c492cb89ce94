/** The id of the trace, of a W3C traceparent; undefined without one. */
export function traceId(headers: Record<string, string> | undefined): string | undefined {
  const parent = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'traceparent')?.[1]
  return /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/.exec(parent ?? '')?.[1]
}

const hole = '{traceId}'

/** What is wrong with a template of addresses, undefined if nothing. */
export function templateFault(template: string): string | undefined {
  if (!template.includes(hole)) {
    return `has no ${hole}, where the id of the trace is to stand`
  }
  return traceAddress(template, '0'.repeat(32)) === undefined ? 'is no http or https address' : undefined
}

/** The address of a trace where one keeps traces; undefined if the template makes none that is http or https. */
export function traceAddress(template: string, id: string): string | undefined {
  try {
    const address = new URL(template.replaceAll(hole, id))
    return address.protocol === 'https:' || address.protocol === 'http:' ? address.href : undefined
  } catch {
    return undefined
  }
}

const storageName = 'posthorn.trace-link'

/** Kept in this browser: where traces are looked at is the viewer's affair. */
export const traceTemplate = {
  get: () => localStorage.getItem(storageName) ?? '',
  set: (template: string) => {
    if (template === '') {
      localStorage.removeItem(storageName)
    } else {
      localStorage.setItem(storageName, template)
    }
  },
}
