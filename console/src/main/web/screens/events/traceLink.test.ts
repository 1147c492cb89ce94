import { expect, test } from 'vitest'
import { templateFault, traceAddress, traceId } from './traceLink'

const id = '4bf92f3577b34da6a3ce929d0e0e4736'

test('finds the trace in the header, however it is written', () => {
  expect(traceId({ Traceparent: `00-${id}-00f067aa0ba902b7-01` })).toBe(id)
  expect(traceId({ traceparent: '"><img src=x>' })).toBeUndefined()
  expect(traceId(undefined)).toBeUndefined()
})

test('makes an address of http and https alone', () => {
  expect(traceAddress('https://traces.example/trace/{traceId}', id)).toBe(`https://traces.example/trace/${id}`)
  expect(traceAddress('javascript:alert("{traceId}")', id)).toBeUndefined()
})

test('says what is wrong with a template', () => {
  expect(templateFault('https://traces.example/')).toContain('{traceId}')
  expect(templateFault('ftp://traces.example/{traceId}')).toContain('http')
  expect(templateFault('https://traces.example/{traceId}')).toBeUndefined()
})
