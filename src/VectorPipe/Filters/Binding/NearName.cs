namespace VectorPipe.Filters.Binding;

/// <summary>Finds the name that was probably meant.</summary>
internal static class NearName
{
    /// <summary>The first of the nearest names, if it differs in case or by two edits at most; otherwise null.</summary>
    public static string? Find(string name, IEnumerable<string> known)
    {
        string? nearest = null;
        int least = Math.Min(3, name.Length);
        foreach (string candidate in known)
        {
            int edits = string.Equals(name, candidate, StringComparison.OrdinalIgnoreCase) ? 0 : CountEdits(name, candidate);
            if (edits < least)
                (nearest, least) = (candidate, edits);
        }

        return nearest;
    }

    // Levenshtein's distance, row by row.
    private static int CountEdits(string from, string to)
    {
        int[] row = [.. Enumerable.Range(0, to.Length + 1)];
        for (int i = 1; i <= from.Length; i++)
        {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.Length; j++)
            {
                int replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.Min(replaced, Math.Min(row[j], row[j - 1]) + 1);
            }
        }

        return row[^1];
    }
}
