using VectorPipe.Numerics;
using VectorPipe.Storage;

namespace VectorPipe;

/// <summary>Compares the vectors in node pages, replicas too, with those that were given.</summary>
/// <remarks>Bound to the thread that first compares; one a thread.</remarks>
internal sealed class RoundingCheck : IDisposable
{
    private readonly IndexSchema _schema;
    private readonly NodeLayout _layout;
    private readonly GivenVectorReader _nodes;
    private readonly GivenVectorReader _replicas;
    private readonly byte[] _rounded;

    private RoundingCheck(IndexSchema schema, NodeLayout layout, GivenVectorReader nodes, GivenVectorReader replicas)
    {
        _schema = schema;
        _layout = layout;
        _nodes = nodes;
        _replicas = replicas;
        _rounded = new byte[layout.VectorBytes];
    }

    /// <summary>Opens the vectors as they were given; null if the index has no such file.</summary>
    /// <exception cref="IndexCorruptException">The file is missing, or its header page is damaged.</exception>
    public static RoundingCheck? Open(string directory, Manifest manifest, NodeLayout layout)
    {
        if (GivenVectorReader.Open(directory, manifest, isInOrder: true) is not { } nodes)
            return null;
        try
        {
            return new RoundingCheck(manifest.Schema, layout, nodes, GivenVectorReader.Open(directory, manifest, isInOrder: false)!);
        }
        catch
        {
            nodes.Dispose();
            throw;
        }
    }

    /// <summary>Tells which vector of a page is not the rounding of the one that was given; null if each is.</summary>
    /// <param name="page">A sound page.</param>
    /// <param name="number">Its number, from 0.</param>
    /// <exception cref="IndexCorruptException">A page of the vectors as they were given is damaged.</exception>
    public string? FindDefect(NodePage page, long number)
    {
        for (int slot = 0; slot < page.Count; slot++)
        {
            if (FindDefect(page, slot, number * _layout.NodesPerPage + slot, _nodes) is { } defect)
                return defect;
        }

        for (int replica = 0; replica < page.ReplicaCount; replica++)
        {
            if (FindDefect(page, _layout.NodesPerPage + replica, page.ReplicaId(replica), _replicas) is { } defect)
                return defect;
        }

        return null;
    }

    /// <summary>Closes the file.</summary>
    public void Dispose()
    {
        _nodes.Dispose();
        _replicas.Dispose();
    }

    private string? FindDefect(NodePage page, int slot, long id, GivenVectorReader given)
    {
        VectorConversion.Convert(_schema.ElementType, given.Read(id, page.Key(slot)), _layout.ElementType, _rounded);
        int at = page.Vector(slot).CommonPrefixLength(_rounded);
        return at == _rounded.Length ? null : $"expected in slot {slot} the vector of node {id}, rounded to {_layout.ElementType}, found another component {at / _layout.ElementType.SizeInBytes()}";
    }
}
