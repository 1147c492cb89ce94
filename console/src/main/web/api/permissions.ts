import { useMe, type Me, type Role } from './session'

/**
 * What a role may do: the table of docs/access.md, for what the console offers. It hides nothing: a button that may not be
 * pressed says why. The hub decides in the end.
 */
const operators: readonly Role[] = ['operator', 'admin']
const admins: readonly Role[] = ['admin']
const lookers: readonly Role[] = ['viewer', 'operator', 'admin']

const roles = {
  look: lookers,
  'event.defer': operators,
  'audit.look': operators,
  'dead-letter.note': operators,
  'dead-letter.discard': operators,
  'dead-letter.purge': operators,
  'dead-letter.release': operators,
  'event-type.change': admins,
  'subscription.create': admins,
  'subscription.change': admins,
  'subscription.delete': admins,
  'subscription.pause': operators,
  'subscription.resume': operators,
  'subscription.test': operators,
  'subscription.let-go': operators,
  'subscription.rotate-secret': admins,
  'guard.change': admins,
  'guard.decide': operators,
  'replay.start': operators,
  'replay.steer': operators,
  'key.look': admins,
  'key.create': admins,
  'key.revoke': admins,
} as const satisfies Record<string, readonly Role[]>

export type Action = keyof typeof roles

export type Permission = { allowed: true } | { allowed: false; why: string }

export function permission(me: Me, action: Action): Permission {
  const allowed: readonly Role[] = roles[action]
  return allowed.includes(me.role) ? { allowed: true } : { allowed: false, why: `Needs the role ${allowed.join(' or ')}; you have ${me.role}.` }
}

export function usePermission(action: Action): Permission {
  return permission(useMe(), action)
}
