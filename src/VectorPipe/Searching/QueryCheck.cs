using VectorPipe.Numerics;

namespace VectorPipe.Searching;

/// <summary>Refuses queries that cannot be answered, before anything is started.</summary>
internal static class QueryCheck
{
    /// <summary>Checks type and length of a single query.</summary>
    public static void One(SearchIndex index, VectorElementType type, int components)
    {
        Type(index, type);
        if (components != index.Schema.Dimension)
            throw new InvalidVectorException($"Expected a query of {index.Schema.Dimension} components, found {components}.");
    }

    /// <summary>Checks a batch.</summary>
    /// <returns>Queries in the batch.</returns>
    public static int Many(SearchIndex index, VectorElementType type, int components, ReadOnlySpan<byte> bytes)
    {
        Type(index, type);
        int dimension = index.Schema.Dimension;
        if (components % dimension != 0)
            throw new InvalidVectorException($"Expected queries of {dimension} components each, found {components} components.");
        int rows = components / dimension;
        int rowBytes = index.Layout.VectorBytes;
        for (int row = 0; row < rows; row++)
        {
            if (VectorConversion.FindDefect(index.Schema.Metric, type, bytes.Slice(row * rowBytes, rowBytes)) is { } defect)
                throw new InvalidVectorException(row, defect + ".");
        }

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
}
