/** The choice to log in here without a code for some days; nothing where the operator forbids it, with 0 days. */
export const TrustBrowser = ({
  days,
  value,
  onValue,
}: {
  days: number;
  value: boolean;
  onValue: (value: boolean) => void;
}) =>
  days > 0 && (
    <label className="flex cursor-pointer items-start gap-2">
      <input
        type="checkbox"
        className="checkbox checkbox-sm mt-0.5 checkbox-primary"
        checked={value}
        onChange={(event) => onValue(event.target.checked)}
      />
      <span>
        Trust this browser for {days === 1 ? '1 day' : `${days} days`}
        <span className="block text-xs text-quiet">
          Logs you in here without a code. Not for shared computers.
        </span>
      </span>
    </label>
  );
