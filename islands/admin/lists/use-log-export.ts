import { useMutation } from '@tanstack/react-query';
import { authHeader } from '../../runtime/api.ts';
import { ApiError, errorText } from '../../runtime/api-error.ts';

/** Saves what the filters let through as a file. A link could not carry the token that it takes. */
export const useLogExport = (filters: Record<string, string>) =>
  useMutation({
    mutationFn: async (format: 'csv' | 'jsonl') => {
      const query = new URLSearchParams({ ...filters, format });
      const answer = await fetch(`/admin/logs/export?${query}`, { headers: authHeader() });
      if (!answer.ok) throw new ApiError(answer.status, errorText(await answer.text()));
      const url = URL.createObjectURL(await answer.blob());
      const link = document.createElement('a');
      link.href = url;
      link.download = `audit-log.${format}`;
      link.click();
      URL.revokeObjectURL(url);
    },
  });
