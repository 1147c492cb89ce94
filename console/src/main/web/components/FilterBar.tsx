import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react'
import { completions, filterFaults, parseFilter, type Completion, type Qualifier } from '~/lib/filter'
import { Button } from './Button'
import './filter-bar.css'

interface FilterBarProps {
  label: string
  qualifiers: readonly Qualifier[]
  /** What the URL has. */
  value: string
  /** Called with Enter or a button, not with every key: each filter is a place to come back to. */
  onChange: (value: string) => void
  /** Whether words without a qualifier mean something here. */
  words?: boolean
  placeholder?: string
}

interface Offer {
  from: number
  to: number
  options: Completion[]
}

const nothing: Offer = { from: 0, to: 0, options: [] }

/** One line with completion: arrow keys choose, Tab or Enter takes, Escape closes, "/" gets here from anywhere on the page. */
export function FilterBar({ label, qualifiers, value, onChange, words = false, placeholder }: FilterBarProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(value)
  const [shown, setShown] = useState(value)
  const [offer, setOffer] = useState(nothing)
  const [chosen, setChosen] = useState(-1)
  const asked = useRef(0)

  // Back and forward change what the URL has while the bar is there.
  if (shown !== value) {
    setShown(value)
    setText(value)
  }

  useEffect(() => {
    const onSlash = (event: globalThis.KeyboardEvent) => {
      const typing = event.target instanceof HTMLElement && event.target.closest('input, textarea, select, [contenteditable], dialog') !== null
      if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault()
        input.current?.focus()
      }
    }
    document.addEventListener('keydown', onSlash)
    return () => {
      document.removeEventListener('keydown', onSlash)
    }
  }, [])

  const faults = filterFaults(parseFilter(text, qualifiers), qualifiers, words)

  const ask = (now: string, caret: number) => {
    const turn = ++asked.current
    setChosen(-1)
    completions(now, caret, qualifiers).then(
      (next) => {
        // An answer for what was typed before the last key comes too late.
        if (turn === asked.current) {
          setOffer(next)
        }
      },
      () => {
        setOffer(nothing)
      },
    )
  }

  const close = () => {
    asked.current++
    setOffer(nothing)
    setChosen(-1)
  }

  const take = (option: Completion) => {
    const before = text.slice(0, offer.from) + option.term + (option.open ? '' : ' ')
    const now = before + text.slice(offer.to).trimStart()
    setText(now)
    ask(now, before.length)
    requestAnimationFrame(() => {
      input.current?.setSelectionRange(before.length, before.length)
    })
  }

  const apply = (now: string) => {
    close()
    if (filterFaults(parseFilter(now, qualifiers), qualifiers, words).length === 0) {
      onChange(now.trim())
    }
  }

  const { options } = offer
  const onKeyDown = (event: KeyboardEvent) => {
    const option = options[chosen]
    if (event.key === 'ArrowDown' && options.length > 0) {
      setChosen((chosen + 1) % options.length)
    } else if (event.key === 'ArrowDown') {
      ask(text, input.current?.selectionStart ?? text.length)
    } else if (event.key === 'ArrowUp' && options.length > 0) {
      setChosen((chosen <= 0 ? options.length : chosen) - 1)
    } else if ((event.key === 'Enter' || event.key === 'Tab') && option !== undefined) {
      take(option)
    } else if (event.key === 'Enter') {
      apply(text)
    } else if (event.key === 'Escape' && options.length > 0) {
      close()
    } else {
      return
    }
    event.preventDefault()
  }

  return (
    <div className="filter" role="search">
      <div className="filter-line">
        <input
          ref={input}
          className="filter-input"
          role="combobox"
          aria-label={label}
          aria-expanded={options.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={chosen >= 0 ? `${id}-${chosen}` : undefined}
          aria-invalid={faults.length > 0}
          aria-describedby={`${id}-faults`}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={text}
          placeholder={placeholder ?? qualifiers.map((qualifier) => `${qualifier.name}:`).join(' ')}
          onChange={(event) => {
            setText(event.target.value)
            ask(event.target.value, event.target.selectionStart ?? event.target.value.length)
          }}
          onFocus={() => {
            ask(text, input.current?.selectionStart ?? text.length)
          }}
          onBlur={close}
          onKeyDown={onKeyDown}
        />
        <div id={`${id}-list`} className="filter-options" role="listbox" aria-label="Completions" hidden={options.length === 0}>
          {options.map((option, index) => (
            // The input has the focus and handles the keys.
            // eslint-disable-next-line jsx-a11y/click-events-have-key-events
            <div
              key={option.term}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              className="filter-option"
              onMouseDown={(event) => {
                event.preventDefault()
              }}
              onClick={() => {
                take(option)
              }}
            >
              <code className="cut">{option.text}</code>
              <span className="muted">{option.about}</span>
            </div>
          ))}
        </div>
        <Button onClick={() => { apply(text) }}>Filter</Button>
        {value !== '' && (
          <Button
            look="quiet"
            onClick={() => {
              setText('')
              apply('')
            }}
          >
            Clear
          </Button>
        )}
      </div>
      <p id={`${id}-faults`} className="filter-faults" aria-live="polite">
        {text !== value && faults.join(' · ')}
      </p>
    </div>
  )
}
