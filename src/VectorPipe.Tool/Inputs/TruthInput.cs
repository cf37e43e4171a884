using PureHDF;
using PureHDF.VOL.Native;
using VectorPipe.Measuring.Data;

namespace VectorPipe.Tool.Inputs;

/// <summary>Exact neighbours of queries, from a truth file or from HDF5 in the layout of ann-benchmarks.</summary>
internal static class TruthInput
{
    public static Task<GroundTruth> LoadAsync(string text, CancellationToken cancellationToken)
    {
        InputName name = InputName.Parse(text);
        return name.IsHdf5 ? Task.FromResult(Load(name)) : GroundTruth.LoadAsync(text, cancellationToken);
    }

    private static GroundTruth Load(InputName name)
    {
        using NativeFile file = Hdf5File.Open(name.Path);
        string member = name.Member ?? Hdf5File.Neighbours;
        NativeDataset neighbours = Hdf5File.Matrix(file, name.Path, member);
        ulong[] extents = neighbours.Space.Dimensions;
        UInt128 total = (UInt128)extents[0] * extents[1];
        if (total == 0 || total > (UInt128)Array.MaxLength)
            throw new UsageException($"'{name.Path}:{member}': expected 1 to {Array.MaxLength} neighbours; found {total}.");
        uint[] ids = [.. Integers(neighbours, name.Path, member).Select(id => id is >= 0 and <= uint.MaxValue
            ? (uint)id
            : throw new UsageException($"'{name.Path}:{member}': expected row numbers of 0 to {uint.MaxValue}; found {id}."))];
        return new GroundTruth((int)extents[0], (int)extents[1], ids, DistancesOf(file, name, extents));
    }

    private static long[] Integers(NativeDataset data, string path, string member) => Hdf5File.Guard(path, () =>
        (data.Type.Class, data.Type.Size) switch
        {
            (H5DataTypeClass.FixedPoint, sizeof(int)) => [.. data.Read<int[]>().Select(id => (long)id)],
            (H5DataTypeClass.FixedPoint, sizeof(long)) => data.Read<long[]>(),
            _ => throw new UsageException(
                $"'{path}:{member}': expected integers of 4 or 8 bytes; found {data.Type.Class} of {data.Type.Size} bytes."),
        });

    // Only distances whose scale is known can tell that a hit is as near as the farthest neighbour; without them, ids count alone.
    private static float[] DistancesOf(NativeFile file, InputName name, ulong[] extents) => Hdf5File.Guard<float[]>(name.Path, () =>
    {
        bool isUsual = name.Member is null or Hdf5File.Neighbours;
        if (!isUsual || !file.LinkExists(Hdf5File.Distances) || !file.AttributeExists("distance"))
            return [];
        string scale = file.Attribute("distance").Read<string>();
        NativeDataset data = Hdf5File.Matrix(file, name.Path, Hdf5File.Distances);
        if (scale is not ("euclidean" or "angular") || !data.Space.Dimensions.SequenceEqual(extents))
            return [];
        float[] distances = data.Type.Size == sizeof(double)
            ? [.. data.Read<double[]>().Select(distance => (float)distance)]
            : data.Read<float[]>();
        return scale == "angular" ? distances : [.. distances.Select(distance => distance * distance)];
    });
}
