using System.Runtime.InteropServices;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Searching.Index;

namespace VectorPipe.Searching.Serving;

/// <summary>Refuses queries that the index cannot answer, before a search begins.</summary>
internal static class QueryCheck
{
    /// <summary>Checks type, length and components of a query.</summary>
    /// <exception cref="InvalidVectorException">One of them does not fit the index.</exception>
    public static void One<T>(SearchIndex index, ReadOnlySpan<T> query)
        where T : unmanaged
    {
        Type<T>(index, "a query");
        if (query.Length != index.Schema.Dimension)
            throw new InvalidVectorException($"Expected a query of {index.Schema.Dimension} components, found {query.Length}.");
        if (FindDefect(index, query) is { } defect)
            throw new InvalidVectorException($"Refused a query: {defect}.");
    }

    /// <summary>Checks type, length and components of a batch, and returns the number of its queries.</summary>
    /// <exception cref="InvalidVectorException">One of them does not fit the index.</exception>
    public static int Many<T>(SearchIndex index, ReadOnlySpan<T> queries)
        where T : unmanaged
    {
        Type<T>(index, "a query");
        (int rows, int rest) = Math.DivRem(queries.Length, index.Schema.Dimension);
        if (rest != 0)
            throw new InvalidVectorException(
                $"Expected queries of {index.Schema.Dimension} components each, found {queries.Length} components.");

        // Row by row, because a batch may have more bytes than a span can hold.
        for (int row = 0; row < rows; row++)
        {
            if (FindDefect(index, queries.Slice(row * index.Schema.Dimension, index.Schema.Dimension)) is { } defect)
                throw new InvalidVectorException(row, defect + ".");
        }

        return rows;
    }

    /// <summary>Checks type and length of the room for a look-up's vectors.</summary>
    /// <exception cref="InvalidVectorException">One of them does not fit the index.</exception>
    public static void Room<T>(SearchIndex index, int rows, int components)
        where T : unmanaged
    {
        Type<T>(index, "room for vectors");
        if (components != (long)rows * index.Schema.Dimension)
            throw new InvalidVectorException(
                $"Expected room for {rows} vectors of {index.Schema.Dimension} components each, found {components} components.");
    }

    private static void Type<T>(SearchIndex index, string what)
        where T : unmanaged
    {
        bool isElement = typeof(T) == typeof(float) || typeof(T) == typeof(Half) || typeof(T) == typeof(byte) || typeof(T) == typeof(sbyte);
        if (isElement && VectorElementTypes.Of<T>() == index.Schema.ElementType)
            return;
        string found = isElement
            ? VectorElementTypes.Of<T>().ToString()
            : $"{typeof(T).Name}, which no index holds (float, Half, byte and sbyte are)";
        throw new InvalidVectorException($"Expected {what} of {index.Schema.ElementType}, as the index holds, found {found}.");
    }

    private static string? FindDefect<T>(SearchIndex index, ReadOnlySpan<T> query)
        where T : unmanaged =>
        VectorConversion.FindDefect(index.Schema.Metric, index.Schema.ElementType, MemoryMarshal.AsBytes(query));
}
