using Parquet;
using Parquet.Schema;

namespace VectorPipe.Tool.Tests.Infrastructure;

/// <summary>A column of a file of Parquet that a test writes.</summary>
internal sealed record TestColumn(Field Field, int Rows, Func<ParquetRowGroupWriter, Range, Task> WriteAsync)
{
    /// <summary>A column of numbers, truth values, times or Guids, which may be null.</summary>
    public static TestColumn Of<T>(string name, params T?[] rows)
        where T : struct
    {
        var field = new DataField(name, typeof(T?));
        return new TestColumn(field, rows.Length, (group, range) => group.WriteAsync<T>(field, rows.AsMemory(range)));
    }

    /// <summary>A column whose rows cannot be null.</summary>
    public static TestColumn Required<T>(string name, params T[] rows)
        where T : struct
    {
        var field = new DataField(name, typeof(T));
        return new TestColumn(field, rows.Length, (group, range) => group.WriteAsync<T>(field, rows.AsMemory(range)));
    }

    public static TestColumn Texts(string name, params string?[] rows)
    {
        var field = new DataField(name, typeof(string));
        return new TestColumn(field, rows.Length, (group, range) => group.WriteAsync(field, rows[range]));
    }

    public static TestColumn Bytes(string name, params byte[]?[] rows)
    {
        var field = new DataField(name, typeof(byte[]));
        return new TestColumn(field, rows.Length, (group, range) => group.WriteAsync(field, rows[range]));
    }

    /// <summary>A column of lists; lists and items may be null.</summary>
    public static TestColumn Lists<T>(string name, params T?[]?[] rows)
        where T : struct => Lists(name, rows, typeof(T?), item => item.HasValue, item => item!.Value);

    /// <summary>A column of lists of strings; lists and items may be null.</summary>
    public static TestColumn TextLists(string name, params string?[]?[] rows) =>
        Lists(name, rows, typeof(string), item => item is not null, item => item.AsMemory());

    private static TestColumn Lists<T, TValue>(
        string name, T[]?[] rows, Type type, Predicate<T> isThere, Func<T, TValue> valueOf)
        where TValue : struct
    {
        var item = new DataField("element", type);
        var field = new ListField(name, item);
        return new TestColumn(field, rows.Length, async (group, range) =>
        {
            List<TValue> values = [];
            List<int> definitions = [], repetitions = [];
            foreach (T[]? row in rows[range])
            {
                repetitions.Add(0);
                repetitions.AddRange(Enumerable.Repeat(1, Math.Max(0, (row?.Length ?? 0) - 1)));
                values.AddRange((row ?? []).Where(value => isThere(value)).Select(valueOf));

                // A null list, an empty one, a null item, an item.
                if (row is null or [])
                    definitions.Add(row is null ? 0 : 1);
                else
                    definitions.AddRange(row.Select(value => isThere(value) ? 3 : 2));
            }

            await group.WriteAllPartsAsync<TValue>(
                item, values.ToArray(), definitions.ToArray(), repetitions.ToArray(), CancellationToken.None);
        });
    }
}
