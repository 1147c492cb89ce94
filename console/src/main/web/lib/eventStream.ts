/** Server-sent events, read from a fetch body because EventSource can send no Authorization header. */
export interface StreamEvent {
  id: string | undefined
  event: string
  data: string
}

/**
 * Takes text as it comes and gives whole events. Lines end with LF, CRLF or CR; a comment (a heartbeat) is an empty answer.
 * `retry` is kept: the hub's wish for how long to wait before coming back.
 */
export class EventStreamParser {
  retryMillis: number | undefined
  private rest = ''
  private id: string | undefined
  private event = ''
  private data: string[] = []

  take(chunk: string): StreamEvent[] {
    const text = this.rest + chunk
    const events: StreamEvent[] = []
    let from = 0
    for (;;) {
      const end = text.slice(from).search(/[\r\n]/)
      if (end < 0) {
        break
      }
      const at = from + end
      // A CR at the very end may be half of a CRLF.
      if (text[at] === '\r' && at === text.length - 1) {
        break
      }
      const whole = this.line(text.slice(from, at))
      if (whole !== undefined) {
        events.push(whole)
      }
      from = at + (text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1)
    }
    this.rest = text.slice(from)
    return events
  }

  private line(line: string): StreamEvent | undefined {
    if (line === '') {
      return this.end()
    }
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    switch (field) {
      case 'id':
        this.id = value
        break
      case 'event':
        this.event = value
        break
      case 'data':
        this.data.push(value)
        break
      case 'retry':
        this.retryMillis = /^\d+$/.test(value) ? Number(value) : this.retryMillis
        break
    }
    return undefined
  }

  private end(): StreamEvent | undefined {
    const { event, data } = this
    this.event = ''
    this.data = []
    return data.length === 0 ? undefined : { id: this.id, event: event === '' ? 'message' : event, data: data.join('\n') }
  }
}
