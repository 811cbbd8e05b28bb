type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/**
 * Records what the user has typed and selected before hydration, which React does not notice. It must
 * be called before the first update, which would reset the fields.
 * @returns a function that enters the values again, so that React handles them
 */
export function preserveFieldValues(island: HTMLElement): () => void {
  const recorded = [...island.querySelectorAll<Control>('input, textarea, select')].map(recordOf);
  return () => {
    for (const restore of recorded) restore?.();
  };
}

function recordOf(field: Control): (() => void) | null {
  if (field instanceof HTMLSelectElement) {
    const { value } = field;
    const options = [...field.options];
    if (options.every(({ selected, defaultSelected }) => selected === defaultSelected)) return null;
    return () => {
      field.value = value;
      dispatch(field, 'change');
    };
  }
  if (field.readOnly) return null;
  if (field.type === 'file')
    return (field as HTMLInputElement).files?.length ? () => dispatch(field, 'change') : null;
  if (field.type === 'checkbox' || field.type === 'radio')
    return recordCheck(field as HTMLInputElement);
  return field.value === field.defaultValue ? null : recordText(field);
}

/** React listens to clicks for changes of checkboxes and radio buttons. */
function recordCheck(box: HTMLInputElement): (() => void) | null {
  const { checked } = box;
  if (checked === box.defaultChecked) return null;
  return () => {
    box.checked = !checked;
    box.click();
  };
}

/**
 * React ignores an 'input' event if the field's value is the one that it last knew. So the old value
 * is set through React's own setter first, and the new one through the browser's setter, which React
 * does not observe.
 */
function recordText(field: HTMLInputElement | HTMLTextAreaElement): () => void {
  const { value, selectionStart, selectionEnd, defaultValue: before } = field;
  return () => {
    // If the field has another value than at first, the user has typed more since it was recorded.
    const last =
      field.value === before
        ? { value, selectionStart, selectionEnd }
        : {
            value: field.value,
            selectionStart: field.selectionStart,
            selectionEnd: field.selectionEnd,
          };
    field.value = before;
    const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value') ?? {};
    set?.call(field, last.value);
    // Fields of some types, such as 'email', have no selection.
    if (last.selectionStart !== null) {
      field.setSelectionRange(last.selectionStart, last.selectionEnd);
    }
    dispatch(field, 'input');
  };
}

const dispatch = (field: Control, type: string) =>
  field.dispatchEvent(new Event(type, { bubbles: true }));
