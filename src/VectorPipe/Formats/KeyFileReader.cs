using System.Buffers.Binary;
using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;

namespace VectorPipe.Formats;

/// <summary>Reads keys from an <c>.npy</c> file: a one-dimensional array of <c>&lt;u8</c>, as NumPy and exports write it.</summary>
/// <remarks>Not thread-safe: one read at a time.</remarks>
internal sealed partial class KeyFileReader : IAsyncDisposable
{
    private const int PreambleBytes = 10;
    private const int LengthOffset = 8;

    private readonly SourceFile _file;
    private readonly RowPump _pump;

    private KeyFileReader(SourceFile file, RowLayout layout)
    {
        _file = file;
        _pump = new RowPump(file.Pipe, file.Path, layout);
        Count = layout.Count;
    }

    public long Count { get; }

    /// <exception cref="VectorFormatException">The file is no list of keys, or its length contradicts its header.</exception>
    public static async Task<KeyFileReader> OpenAsync(string path, CancellationToken cancellationToken)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        SourceFile file = SourceFile.Open(path);
        try
        {
            RowLayout layout = Parse(await file.PeekAsync(NpyHeader.MaxBytes, cancellationToken).ConfigureAwait(false), path);
            HeaderChecks.FileLength(path, layout, file.Length);
            await file.SkipAsync(layout.DataOffset, cancellationToken).ConfigureAwait(false);
            return new KeyFileReader(file, layout);
        }
        catch
        {
            await file.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Fills a buffer with the next keys: 8 bytes each, little-endian.</summary>
    /// <returns>How many keys were read; 0 at the end of the file.</returns>
    public ValueTask<int> ReadAsync(Memory<byte> keys, CancellationToken cancellationToken) => _pump.ReadAsync(keys, cancellationToken);

    public ValueTask DisposeAsync() => _file.DisposeAsync();

    private static RowLayout Parse(ReadOnlySpan<byte> head, string path)
    {
        HeaderChecks.HeaderLength(path, head.Length, PreambleBytes);
        if (!head.StartsWith(NpyHeader.EncodeKeys(0).AsSpan(0, LengthOffset)))
            throw new VectorFormatException(path, 0, "an .npy file of version 1.0", $"bytes {Convert.ToHexString(head[..LengthOffset])}");
        int end = PreambleBytes + BinaryPrimitives.ReadUInt16LittleEndian(head[LengthOffset..]);
        HeaderChecks.HeaderLength(path, head.Length, end);
        string description = Encoding.ASCII.GetString(head[PreambleBytes..end]).Trim();
        Match match = KeyList().Match(description);
        if (!match.Success || !long.TryParse(match.Groups[1].ValueSpan, NumberStyles.None, CultureInfo.InvariantCulture, out long count))
            throw new VectorFormatException(path, PreambleBytes, "a one-dimensional array of '<u8'", description);
        return new RowLayout(Dimension: 1, sizeof(ulong), count, end, PrefixBytes: 0);
    }

    [GeneratedRegex(@"^\{'descr': '<u8', 'fortran_order': False, 'shape': \((\d{1,18}),\),? ?\}$")]
    private static partial Regex KeyList();
}
