using Parquet;

namespace VectorPipe.Tool.Collections.Columns;

/// <summary>A column of a file of Parquet, which is read a row group at a time.</summary>
internal interface IParquetColumn
{
    string Name { get; }

    bool IsList { get; }

    /// <summary>Memory that the values of a row group take.</summary>
    /// <param name="place">The row group and the column, for the error.</param>
    decimal BytesOf(ParquetRowGroupReader group, string place);

    /// <summary>Reads the values of a row group.</summary>
    /// <param name="place">The row group and the column, for the error.</param>
    Task ReadAsync(ParquetRowGroupReader group, string place, CancellationToken cancellationToken);
}
