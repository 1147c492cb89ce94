import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { permission, type Action } from './permissions'
import type { Me, Role } from './session'

const me = (role: Role): Me => ({ name: 'somebody', role, payload: false, keys: true, instance: 'here', version: '1' })

describe('what a role may do', () => {
  const table = readFileSync(new URL('../../../../../docs/access.md', import.meta.url), 'utf8')

  /** As docs/access.md says it. */
  it.each<[Action, string]>([
    ['look', 'GET /v1/events'],
    ['event.defer', 'POST /v1/events/{id}/defer'],
    ['audit.look', 'GET /v1/audit'],
    ['dead-letter.note', 'PUT /v1/dlt-messages/groups/note'],
    ['dead-letter.discard', 'POST /v1/dlt-messages/discard'],
    ['dead-letter.purge', 'POST /v1/dlt-messages/purge'],
    ['dead-letter.release', 'POST /v1/dlt-messages/{id}/release'],
    ['event-type.change', 'PUT /v1/event-types/{name}'],
    ['subscription.create', 'POST /v1/subscriptions'],
    ['subscription.change', 'PUT /v1/subscriptions/{name}'],
    ['subscription.delete', 'DELETE /v1/subscriptions/{name}'],
    ['subscription.pause', 'POST /v1/subscriptions/{name}/pause'],
    ['subscription.resume', 'POST /v1/subscriptions/{name}/resume'],
    ['subscription.test', 'POST /v1/subscriptions/{name}/test'],
    ['subscription.let-go', 'POST /v1/subscriptions/{name}/let-go'],
    ['subscription.rotate-secret', 'POST /v1/subscriptions/{name}/rotate-secret'],
    ['guard.change', 'PUT /v1/guards/{name}'],
    ['guard.decide', 'POST /v1/guards/{name}/forwards/{eventId}/decision'],
    ['replay.start', 'POST /v1/replay'],
    ['replay.steer', 'POST /v1/replay/{id}/cancel'],
    ['key.look', 'GET /v1/keys'],
    ['key.create', 'POST /v1/keys'],
    ['key.revoke', 'DELETE /v1/keys/{name}'],
  ])('%s is as the role table has %s', (action, call) => {
    const row = table.split('\n').find((line) => line.startsWith(`| \`${call}\` |`))
    const allowed = row?.split('|')[2]?.trim().split(', ')
    expect(['publisher', 'viewer', 'operator', 'admin'].filter((role) => permission(me(role as Role), action).allowed)).toEqual(allowed)
  })

  it('says why not', () => {
    expect(permission(me('viewer'), 'replay.start')).toEqual({ allowed: false, why: 'Needs the role operator or admin; you have viewer.' })
  })
})
