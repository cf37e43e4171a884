using System.Diagnostics;
using VectorPipe.Devices.Native;
using VectorPipe.Quantization;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Searching.Index;

/// <summary>The code book of an open index: in memory, or in its open file until somebody asks for it.</summary>
/// <remarks>
/// Small indexes are searched exactly. Of a thousand collections of a thousand vectors of 128 components, code books would be 131 of 300
/// megabytes. Thread-safe; nobody asks for it while it is disposed of.
/// </remarks>
internal sealed class CodeBook : IDisposable
{
    private readonly Lock _reading = new();
    private readonly IndexSchema _schema;
    private PageFileReader? _file;
    private Quantizer? _quantizer;

    private CodeBook(IndexSchema schema) => _schema = schema;

    /// <summary>Whether it is in memory.</summary>
    public bool IsLoaded => Volatile.Read(ref _quantizer) is not null;

    /// <summary>Reads a code book into memory.</summary>
    /// <param name="file">Its file; the caller's.</param>
    /// <param name="schema">The schema of the index.</param>
    /// <param name="cancellationToken">Observed between reads.</param>
    /// <exception cref="IndexCorruptException">It is damaged, or of another schema.</exception>
    public static CodeBook Load(PageFileReader file, IndexSchema schema, CancellationToken cancellationToken) =>
        new(schema) { _quantizer = Read(file, schema, cancellationToken) };

    /// <summary>Verifies a code book, and leaves it in its file.</summary>
    /// <param name="file">Its file, which the code book takes over.</param>
    /// <param name="schema">The schema of the index.</param>
    /// <param name="cancellationToken">Observed between reads.</param>
    /// <exception cref="IndexCorruptException">It is damaged, or of another schema; the file is the caller's.</exception>
    public static CodeBook Leave(PageFileReader file, IndexSchema schema, CancellationToken cancellationToken)
    {
        Check(file, schema, cancellationToken);
        file.FreeBuffer();
        return new CodeBook(schema) { _file = file };
    }

    /// <summary>Reads a code book.</summary>
    /// <exception cref="IndexCorruptException">It is damaged, or of another schema.</exception>
    public static Quantizer Read(PageFileReader file, IndexSchema schema, CancellationToken cancellationToken)
    {
        Quantizer quantizer = Read(file, schema, QuantizerFormat.Read, cancellationToken);
        Require(file, schema, quantizer.Shape);
        return quantizer;
    }

    /// <summary>Verifies a code book.</summary>
    /// <exception cref="IndexCorruptException">It is damaged, or of another schema.</exception>
    public static void Check(PageFileReader file, IndexSchema schema, CancellationToken cancellationToken) =>
        Require(file, schema, Read(file, schema, QuantizerFormat.Check, cancellationToken));

    /// <summary>The quantizer; read now, on the caller's thread, if it is still in its file.</summary>
    /// <exception cref="IndexCorruptException">The file was damaged since the index was opened.</exception>
    /// <exception cref="DeviceException">It cannot be read.</exception>
    public Quantizer Get()
    {
        if (Volatile.Read(ref _quantizer) is { } known)
            return known;
        lock (_reading)
        {
            if (_quantizer is { } read)
                return read;
            Debug.Assert(_file is not null, "it is in memory or in its file");
            PageFileReader file = _file;
            try
            {
                Quantizer quantizer = Read(file, _schema, CancellationToken.None);
                Volatile.Write(ref _quantizer, quantizer);
                file.Dispose();
                _file = null;
                return quantizer;
            }
            catch (IOException e)
            {
                throw new DeviceException($"{file.FilePath}: expected a code book that can be read: {e.Message}", e);
            }
            finally
            {
                file.FreeBuffer();
            }
        }
    }

    public void Dispose() => _file?.Dispose();

    private static T Read<T>(
        PageFileReader file, IndexSchema schema, Func<ReadOnlySpan<byte>, T> read, CancellationToken cancellationToken)
    {
        using var bytes = new NativeBuffer(
            (nuint)QuantizerFormat.ByteLength(schema.Dimension, schema.CodeBytes, schema.Code), isReused: true);
        file.ReadAll(bytes, cancellationToken);
        try
        {
            return read(bytes.Span(0, (int)bytes.Length));
        }
        catch (QuantizerFormatException e)
        {
            throw new IndexCorruptException($"{file.FilePath}: {e.Message}", e);
        }
    }

    private static void Require(PageFileReader file, IndexSchema schema, QuantizerShape found)
    {
        if (found != new QuantizerShape(schema.Dimension, schema.CodeBytes, schema.Code))
        {
            throw new IndexCorruptException(
                file.FilePath,
                $"expected a code book ({schema.Code}) for dimension {schema.Dimension} in {schema.CodeBytes} bytes, found "
                + $"{found.Kind}, {found.Dimension} in {found.CodeBytes}");
        }
    }
}
