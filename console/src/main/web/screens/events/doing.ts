import type { EventDetail, SubscriptionItem } from '~/api/events'

/** What a replay to this subscription would take, or why there is nothing to take. */
export function replayable(item: SubscriptionItem | undefined): { deadLetter: boolean } | { why: string } {
  switch (item?.status) {
    case 'FAILED':
      return { deadLetter: true }
    case 'DISCARDED':
      return { why: 'Its dead letter was discarded, and what was discarded is never sent again.' }
    case 'PENDING':
    case 'SENDING':
    case 'HELD':
      return { why: 'It is still to be delivered: there is nothing to send again yet.' }
    default:
      return { deadLetter: false }
  }
}

/** Those of its subscriptions that are still there. */
export const present = (event: EventDetail) => (event.subscriptions ?? []).filter((item) => item.deletedAt === undefined)

/** Those for which it can still be put off. */
export const deferable = (event: EventDetail) => present(event).filter(({ status }) => status === 'PENDING' || status === 'HELD')

/** A time as an input of the browser has it, in the viewer's zone. */
export function inputTime(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`
}
