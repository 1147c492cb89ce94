import { describe, expect, it } from 'vitest'
import { age, bytes, duration, durationMillis } from './format'

describe('durations', () => {
  it.each([
    ['250ms', 250],
    ['30s', 30_000],
    ['1h30m', 5_400_000],
    ['2d', 172_800_000],
    ['1.5s', 1500],
  ])('reads %s', (text, millis) => {
    expect(durationMillis(text)).toBe(millis)
  })

  it.each(['', '30', 's', '1x', '1h 30m', '-5s'])('refuses "%s"', (text) => {
    expect(durationMillis(text)).toBeUndefined()
  })

  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [30_000, '30 s'],
    [90_000, '1 min 30 s'],
    [7_200_000, '2 h'],
    [90_061_000, '1 d 1 h'],
  ])('writes %d ms as %s', (millis, text) => {
    expect(duration(millis)).toBe(text)
  })
})

describe('ages', () => {
  const now = 1_000_000_000
  it.each([
    [now - 200, 'now'],
    [now - 5000, '5 s ago'],
    [now - 185_000, '3 min ago'],
    [now + 7_300_000, 'in 2 h'],
  ])('says how far %d is', (then, text) => {
    expect(age(then, now)).toBe(text)
  })
})

it('writes bytes in thousands', () => {
  expect(bytes(512)).toBe('512 B')
  expect(bytes(1_500_000)).toMatch(/^1[.,]5 MB$/)
})
