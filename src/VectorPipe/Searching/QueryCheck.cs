using VectorPipe.Numerics;

namespace VectorPipe.Searching;

/// <summary>Refuses queries that cannot be answered, before anything is started.</summary>
internal static class QueryCheck
{
    /// <summary>Checks a single query: type, length, components.</summary>
    /// <exception cref="InvalidVectorException">It is not what the index can be asked for.</exception>
    public static void One(SearchIndex index, VectorElementType type, int components, ReadOnlySpan<byte> bytes)
    {
        Type(index, type);
        if (components != index.Schema.Dimension)
            throw new InvalidVectorException($"Expected a query of {index.Schema.Dimension} components, found {components}.");
        Components(index, 1, bytes);
    }

    /// <summary>Checks a batch: type, length, components.</summary>
    /// <returns>Queries in the batch.</returns>
    /// <exception cref="InvalidVectorException">It is not what the index can be asked for.</exception>
    public static int Many(SearchIndex index, VectorElementType type, int components, ReadOnlySpan<byte> bytes)
    {
        Type(index, type);
        int dimension = index.Schema.Dimension;
        if (components % dimension != 0)
            throw new InvalidVectorException($"Expected queries of {dimension} components each, found {components} components.");
        int rows = components / dimension;
        Components(index, rows, bytes);
        return rows;
    }

    /// <summary>Checks the room for vectors that are to be looked up.</summary>
    public static void Room(SearchIndex index, VectorElementType type, int rows, int components)
    {
        if (type != index.Schema.ElementType)
            throw new InvalidVectorException($"Expected room for vectors of {index.Schema.ElementType}, as the index holds, found {type}.");
        if (components != (long)rows * index.Schema.Dimension)
            throw new InvalidVectorException($"Expected room for {rows} vectors of {index.Schema.Dimension} components each, found {components} components.");
    }

    private static void Type(SearchIndex index, VectorElementType type)
    {
        if (type != index.Schema.ElementType)
            throw new InvalidVectorException($"Expected a query of {index.Schema.ElementType}, as the index holds, found {type}.");
    }

    private static void Components(SearchIndex index, int rows, ReadOnlySpan<byte> bytes)
    {
        int rowBytes = index.Schema.VectorBytes;
        for (int row = 0; row < rows; row++)
        {
            if (VectorConversion.FindDefect(index.Schema.Metric, index.Schema.ElementType, bytes.Slice(row * rowBytes, rowBytes)) is { } defect)
                throw new InvalidVectorException(row, defect + ".");
        }
    }
}
