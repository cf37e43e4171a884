using PureHDF;
using PureHDF.VOL.Native;

namespace VectorPipe.Tool.Inputs;

/// <summary>Files of HDF5 in the layout of ann-benchmarks: data sets train, test, neighbors and distances.</summary>
internal static class Hdf5File
{
    public const string Train = "train", Test = "test", Neighbours = "neighbors", Distances = "distances";

    /// <summary>Opens a file.</summary>
    /// <exception cref="UsageException">It is no file of HDF5.</exception>
    public static NativeFile Open(string path)
    {
        if (!File.Exists(path))
            throw new FileNotFoundException($"'{path}': expected a file of HDF5; found none.", path);
        return Guard(path, () => H5File.OpenRead(path));
    }

    /// <summary>A data set of two dimensions.</summary>
    /// <exception cref="UsageException">There is none of the name, or it has another number of dimensions.</exception>
    public static NativeDataset Matrix(NativeFile file, string path, string name) => Guard(path, () =>
    {
        if (!file.LinkExists(name) || file.Get(name) is not NativeDataset data)
        {
            string found = string.Join(", ", file.Children().Select(child => child.Name));
            throw new UsageException($"'{path}': expected a data set '{name}'; found {(found.Length == 0 ? "none" : found)}.");
        }

        return data.Space.Dimensions.Length == 2
            ? data
            : throw new UsageException($"'{path}:{name}': expected two dimensions; found {data.Space.Dimensions.Length}.");
    });

    /// <summary>Does work with a file, and says of what the library of the format throws that it is about the file.</summary>
    public static T Guard<T>(string path, Func<T> work)
    {
        try
        {
            return work();
        }
        catch (Exception e) when (e is not (UsageException or OperationCanceledException or UnauthorizedAccessException))
        {
            throw new UsageException($"'{path}': expected a file of HDF5; found none, or a damaged one: {e.Message.TrimEnd('.')}.", e);
        }
    }
}
