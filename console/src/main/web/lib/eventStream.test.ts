import { describe, expect, it } from 'vitest'
import { EventStreamParser } from './eventStream'

describe('the stream of events', () => {
  const text = ': hello\n\nretry: 3000\nid: 7\nevent: overview\ndata: {"a":\ndata: 1}\n\nid: 8\ndata:x\n\n'

  it('gives the same events however the text is cut', () => {
    for (const ending of ['\n', '\r\n', '\r']) {
      // A stream that ends its lines with CR alone cannot tell the end of one from half a CRLF until more comes.
      const whole = text.replaceAll('\n', ending) + (ending === '\r' ? ':' : '')
      for (let size = 1; size <= whole.length; size++) {
        const parser = new EventStreamParser()
        const events = []
        for (let at = 0; at < whole.length; at += size) {
          events.push(...parser.take(whole.slice(at, at + size)))
        }
        expect(events).toEqual([
          { id: '7', event: 'overview', data: '{"a":\n1}' },
          { id: '8', event: 'message', data: 'x' },
        ])
        expect(parser.retryMillis).toBe(3000)
      }
    }
  })

  it('gives nothing for a heartbeat', () => {
    expect(new EventStreamParser().take(':\n\n:\n\n')).toEqual([])
  })
})
