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
        using NativeBuffer bytes = ReadBytes(file, schema, cancellationToken);
        try
        {
            Quantizer quantizer = QuantizerFormat.Read(bytes.Span(0, (int)bytes.Length));
            Require(file, schema, quantizer.Shape);
            return quantizer;
        }
        catch (QuantizerFormatException e)
        {
            throw new IndexCorruptException($"{file.FilePath}: {e.Message}", e);
        }
    }

    /// <summary>Verifies a code book.</summary>
    /// <exception cref="IndexCorruptException">It is damaged, or of another schema.</exception>
    public static void Check(PageFileReader file, IndexSchema schema, CancellationToken cancellationToken)
    {
        using NativeBuffer bytes = ReadBytes(file, schema, cancellationToken);
        try
        {
            Require(file, schema, QuantizerFormat.Check(bytes.Span(0, (int)bytes.Length)));
        }
        catch (QuantizerFormatException e)
        {
            throw new IndexCorruptException($"{file.FilePath}: {e.Message}", e);
        }
    }

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
            Quantizer quantizer;
            try
            {
                quantizer = Read(_file, _schema, CancellationToken.None);
            }
            catch (IOException e)
            {
                throw new DeviceException($"{_file.FilePath}: expected a code book that can be read: {e.Message}", e);
            }

            Volatile.Write(ref _quantizer, quantizer);
            _file.Dispose();
            _file = null;
            return quantizer;
        }
    }

    public void Dispose() => _file?.Dispose();

    private static NativeBuffer ReadBytes(PageFileReader file, IndexSchema schema, CancellationToken cancellationToken)
    {
        var bytes = new NativeBuffer(
            (nuint)QuantizerFormat.ByteLength(schema.Dimension, schema.CodeBytes, schema.Code), isReused: true);
        try
        {
            file.ReadAll(bytes, cancellationToken);
            return bytes;
        }
        catch
        {
            bytes.Dispose();
            throw;
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
