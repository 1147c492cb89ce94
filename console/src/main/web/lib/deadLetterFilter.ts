import type { DeadLetterFilter, DeadLetterGroup } from '~/api/deadLetters'
import { ageBounds, filterValues, parseFilter, writeTerm, type Qualifier } from './filter'
import { durationMillis } from './format'
import { instantOf } from './instants'

const time = (value: string) => (instantOf(value) === undefined ? 'write it like 2026-01-31 or 2026-01-31T14:05Z' : undefined)

/** All that the API finds dead letters by. What stands without a qualifier is sought in the error message. */
export const deadLetterQualifiers: Qualifier[] = [
  { name: 'sub', about: 'the subscription’s name' },
  { name: 'class', about: 'the class of the error, such as timeout' },
  { name: 'cause', about: 'exactly as a group has it' },
  { name: 'error', about: 'the message holds this, in whatever case' },
  { name: 'type', about: 'exactly this' },
  { name: 'source', about: 'exactly this' },
  { name: 'key', about: 'exactly this' },
  { name: 'id', about: 'the event’s id, a UUID or the source’s own' },
  {
    name: 'age',
    about: 'last failed less or more than so long ago: <2h, >1d',
    values: ['<1h', '<2h', '<1d', '>1d', '>7d'],
    check: (value) => (ageBounds(value, 0, durationMillis) === undefined ? 'write it like <2h or >1d' : undefined),
  },
  { name: 'from', about: 'last failed at or after', check: time },
  { name: 'to', about: 'last failed before', check: time },
  {
    name: 'attempts',
    about: 'at least so many attempts',
    check: (value) => (/^\d{1,9}$/.test(value) ? undefined : 'must be a whole number'),
  },
  { name: 'replayed', about: 'sent again in vain, or never', values: ['yes', 'no'], check: oneOf('yes', 'no') },
  { name: 'discarded', about: 'open ones are meant if it is left out', values: ['no', 'yes', 'any'], check: oneOf('no', 'yes', 'any') },
]

function oneOf(...values: string[]) {
  return (value: string) => (values.includes(value) ? undefined : `must be ${values.join(' or ')}`)
}

const names: Record<string, keyof DeadLetterFilter> = {
  sub: 'subscriberId',
  class: 'errorClass',
  cause: 'cause',
  error: 'errorMessage',
  type: 'type',
  source: 'source',
  key: 'key',
  id: 'messageId',
  attempts: 'attemptsAtLeast',
  replayed: 'replayed',
  discarded: 'discarded',
}

/** The filter of the list, the groups, and of what is replayed, discarded or purged. Ages count back from now. */
export function deadLetterFilter(text: string, now: number): DeadLetterFilter {
  const { values, words } = filterValues(parseFilter(text, deadLetterQualifiers))
  const filter: DeadLetterFilter = words === '' ? {} : { errorMessage: words }
  for (const [qualifier, field] of Object.entries(names)) {
    const value = values[qualifier]
    if (value !== undefined) {
      filter[field] = value
    }
  }
  const { age, from, to } = values
  return {
    ...filter,
    ...(age === undefined ? {} : ageBounds(age, now, durationMillis)),
    ...bound('from', from),
    ...bound('to', to),
  }
}

function bound(field: 'from' | 'to', value: string | undefined): DeadLetterFilter {
  // What is no time goes to the hub as it is, which says so: left out, it would find more than was asked for.
  return value === undefined ? {} : { [field]: instantOf(value) ?? value }
}

/** The filter that finds one group. */
export function groupText(group: Pick<DeadLetterGroup, 'subscriberId' | 'errorClass' | 'cause'>): string {
  const terms: [string, string | undefined][] = [
    ['sub', group.subscriberId],
    ['class', group.errorClass],
    ['cause', group.cause],
  ]
  return terms.flatMap(([name, value]) => (value === undefined ? [] : [writeTerm(name, value)])).join(' ')
}

export interface GroupName {
  subscriberId: string
  errorClass: string
  cause: string
}

/** The group that a filter names, if it names a whole one. */
export function namedGroup({ subscriberId, errorClass, cause }: DeadLetterFilter): GroupName | undefined {
  return subscriberId === undefined || errorClass === undefined || cause === undefined ? undefined : { subscriberId, errorClass, cause }
}
