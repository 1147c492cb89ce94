import type { Subscription } from '~/api/subscriptions'
import type { Schema } from '~/api/client'

/**
 * A subscription's document while it is being written. It may be wrong in any way, and has fields that this console does not know:
 * so it is read and changed by path, and what a form does not touch stays as it was.
 */
export type Doc = Record<string, unknown>

export type Violation = Schema<'Violation'>

const isObject = (value: unknown): value is Doc => typeof value === 'object' && value !== null && !Array.isArray(value)

export function valueAt(doc: Doc, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), doc)
}

/** As a field shows it: nothing, the text, or anything else as JSON. */
export const plain = (value: unknown): string => (value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value))

export const textAt = (doc: Doc, path: string): string => plain(valueAt(doc, path))

/** The document with this value there. Undefined takes the field out, and with it the objects that it leaves empty. */
export function withValue(doc: Doc, path: string, value: unknown): Doc {
  const [name = '', ...rest] = path.split('.')
  let next = value
  if (rest.length > 0) {
    const inner = doc[name]
    const changed = withValue(isObject(inner) ? inner : {}, rest.join('.'), value)
    next = Object.keys(changed).length === 0 ? undefined : changed
  }
  if (next !== undefined) {
    return { ...doc, [name]: next }
  }
  return Object.fromEntries(Object.entries(doc).filter(([other]) => other !== name))
}

const answersOnly = new Set(['name', 'revision', 'createdAt', 'changedAt', 'paused', 'pauseReason', 'state', 'reason', 'formerSecretUntil', 'servedBy'])

/** What of an answer is the document: without how it stands. */
export function documentOf(subscription: Subscription): Doc {
  return Object.fromEntries(Object.entries(subscription).filter(([name]) => !answersOnly.has(name)))
}

/** The rule that this field breaks, or one of its parts. */
export function faultAt(violations: readonly Violation[], path: string): string | undefined {
  const faults = violations
    .filter(({ field = '' }) => field === path || field.startsWith(`${path}[`) || field.startsWith(`${path}.`))
    .map(({ field = '', rule = '' }) => (field === path ? rule : `${field.slice(path.length).replace(/^\./, '')} ${rule}`))
  return faults.length === 0 ? undefined : faults.join('; ')
}

/** A number as the API wants it; what is none stays text, and the hub's check says so. */
export function numberOf(text: string): number | string | undefined {
  const trimmed = text.trim()
  if (trimmed === '') {
    return undefined
  }
  return /^-?\d+(?:\.\d+)?$/.test(trimmed) ? Number(trimmed) : trimmed
}

/** One on each line. */
export function linesOf(text: string): string[] | undefined {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return lines.length === 0 ? undefined : lines
}

/** The document of a text, or what is wrong with the text. */
export function readDocument(text: string): { doc: Doc } | { fault: string } {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? { doc: value } : { fault: 'A subscription is an object: { … }' }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) }
  }
}
