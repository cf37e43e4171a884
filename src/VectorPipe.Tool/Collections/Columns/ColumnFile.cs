namespace VectorPipe.Tool.Collections.Columns;

/// <summary>A file of columns, read row by row. Not thread-safe.</summary>
internal abstract class ColumnFile(string path) : IAsyncDisposable
{
    public const string Extensions = ".parquet, .arrow, .arrows, .feather or .ipc";

    public string Path => path;

    /// <summary>Names of the columns.</summary>
    public abstract IReadOnlyList<string> Names { get; }

    public abstract long RowCount { get; }

    /// <summary>File and row, for errors.</summary>
    public string Place => $"'{Path}': row {Row}";

    /// <summary>Number of the row in the file, from 0; -1 before the first.</summary>
    protected long Row { get; set; } = -1;

    /// <summary>Whether the name of a file says that it has columns.</summary>
    public static bool IsNamed(string path) => ParquetFile.IsNamed(path) || ArrowFile.IsNamed(path);

    /// <summary>Opens a file and reads its schema.</summary>
    /// <exception cref="UsageException">It is not what its name says, is damaged, or has two columns of a name.</exception>
    public static async Task<ColumnFile> OpenAsync(string path, CancellationToken cancellationToken) => ParquetFile.IsNamed(path)
        ? new ParquetColumns(await ParquetFile.OpenAsync(path, cancellationToken))
        : await ArrowFile.OpenAsync(path, cancellationToken);

    /// <summary>Has a column be read from now on, before the first row; null if no value of its type can be read.</summary>
    public abstract Column? Take(string name);

    /// <summary>Kind and type of a column, for an error.</summary>
    public abstract string Describe(string name);

    /// <summary>Refuses columns that do not fit into memory, as far as that is known before they are read.</summary>
    public virtual void RequireMemory()
    {
    }

    /// <summary>Moves to the next row, of which each column that was taken then has to be asked.</summary>
    /// <returns>False at the end.</returns>
    public abstract ValueTask<bool> NextAsync(CancellationToken cancellationToken);

    /// <summary>Moves to before the first row.</summary>
    public abstract ValueTask RestartAsync(CancellationToken cancellationToken);

    public abstract ValueTask DisposeAsync();
}
