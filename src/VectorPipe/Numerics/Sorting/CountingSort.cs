namespace VectorPipe.Numerics.Sorting;

/// <summary>Groups items by small keys. Stable.</summary>
internal static class CountingSort
{
    /// <summary>Groups items 0 .. keys.Length-1.</summary>
    /// <param name="keys">The key of each item, 0 .. keyCount-1; items of a negative key are left out.</param>
    /// <param name="keyCount">The number of keys.</param>
    /// <param name="offsets">keyCount + 1 entries: items of key k are entries offsets[k] .. offsets[k+1]-1 of the result.</param>
    /// <returns>The items by key, those of a key in ascending order.</returns>
    public static int[] Group(ReadOnlySpan<int> keys, int keyCount, out int[] offsets)
    {
        offsets = new int[keyCount + 1];
        foreach (int key in keys)
        {
            if (key >= 0)
                offsets[key + 1]++;
        }

        for (int key = 0; key < keyCount; key++)
            offsets[key + 1] += offsets[key];
        int[] items = new int[offsets[keyCount]];
        int[] next = offsets[..^1];
        for (int item = 0; item < keys.Length; item++)
        {
            if (keys[item] >= 0)
                items[next[keys[item]]++] = item;
        }

        return items;
    }
}
