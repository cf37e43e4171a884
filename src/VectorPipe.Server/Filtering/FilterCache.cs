using System.Collections.Concurrent;
using System.Text;

namespace VectorPipe.Server.Filtering;

/// <summary>Filters that clients have sent: one that comes again is not read again. Thread-safe.</summary>
internal sealed class FilterCache
{
    // Programs have a few filters; one that makes a new one for each search is not to fill the memory.
    private const int MostFilters = 256;
    private const int MostBytes = 1024;

    private readonly ConcurrentDictionary<string, AttributeFilter> _filters = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<string, AttributeFilter>.AlternateLookup<ReadOnlySpan<char>> _byText;

    public FilterCache() => _byText = _filters.GetAlternateLookup<ReadOnlySpan<char>>();

    /// <summary>The number of filters that are kept.</summary>
    public int Count => _filters.Count;

    /// <summary>Reads a filter, unless it is kept.</summary>
    /// <param name="text">Its UTF-8.</param>
    /// <exception cref="FilterSyntaxException">The text is none.</exception>
    public AttributeFilter Read(ReadOnlySpan<byte> text)
    {
        if (text.Length > MostBytes)
            return AttributeFilter.Parse(Encoding.UTF8.GetString(text));
        Span<char> room = stackalloc char[MostBytes];
        ReadOnlySpan<char> chars = room[..Encoding.UTF8.GetChars(text, room)];
        if (_byText.TryGetValue(chars, out AttributeFilter? kept))
            return kept;
        string key = chars.ToString();
        var filter = AttributeFilter.Parse(key);
        if (_filters.Count >= MostFilters)
            _filters.Clear();
        _filters[key] = filter;
        return filter;
    }
}
