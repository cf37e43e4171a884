using Parquet;
using Parquet.Schema;

namespace VectorPipe.Tool.Tests.Infrastructure;

/// <summary>Files of Parquet that tests write.</summary>
internal static class TestParquet
{
    /// <summary>Writes a file with row groups of some rows.</summary>
    public static async Task WriteAsync(string path, int groupRows, params TestColumn[] columns)
    {
        var schema = new ParquetSchema(columns.Select(column => column.Field));
        await using FileStream stream = File.Create(path);
        await using ParquetWriter writer = await ParquetWriter.CreateAsync(schema, stream);
        for (int first = 0; first < columns[0].Rows; first += groupRows)
        {
            using ParquetRowGroupWriter group = writer.CreateRowGroup();
            foreach (TestColumn column in columns)
                await column.WriteAsync(group, first..Math.Min(column.Rows, first + groupRows));
        }
    }
}
